/** The same call outside the page: on the command line, in TypeScript, with curl. */

import {
  encodeHeaderValue,
  METHOD_HEADER,
  mirroredParameters,
  NAME_HEADER,
  parameterHeaders,
  SESSION_HEADER,
  VERSION_HEADER,
} from '../../../../protocol/mirrored-headers.js';
import {
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_PROTOCOL_VERSION,
} from '../../../../protocol/model/meta.js';
import type { InspectedCatalogue, ServerView } from '../../../api.js';

type Tool = InspectedCatalogue['tools']['items'][number];
type Arguments = Readonly<Record<string, unknown>>;

/** One word for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function asPlumbCall({ address }: ServerView, tool: string, args: Arguments): string {
  const words = Object.entries(args).map(([name, value]) =>
    shellWord(typeof value === 'string' ? `${name}=${value}` : `${name}:=${JSON.stringify(value)}`),
  );
  const call = [shellWord(tool), ...words];
  switch (address.kind) {
    case 'url':
      return ['plumb call', shellWord(address.url), ...call].join(' ');
    case 'command':
      return ['plumb call', ...call, '--', ...[address.command, ...address.args].map(shellWord)].join(' ');
  }
}

export function asTypeScript(server: ServerView, tool: string, args: Arguments): string {
  const pinned = server.pinned === null ? '' : `, { revisions: ['${server.pinned}'] }`;
  return `import { connect } from 'plumb-mcp/client';

const client = await connect(${targetOf(server)}${pinned});
const result = await client.tools.call(${JSON.stringify(tool)}, ${JSON.stringify(args, null, 2)});
console.log(result);
await client.close();
`;
}

function targetOf({ address }: ServerView): string {
  switch (address.kind) {
    case 'url':
      return JSON.stringify(address.url);
    case 'command':
      return `{ command: ${JSON.stringify(address.command)}, args: ${JSON.stringify(address.args)} }`;
  }
}

/** For servers over HTTP; undefined for others. */
export function asCurl(server: ServerView, tool: Tool, args: Arguments): string | undefined {
  const { address, session } = server;
  if (address.kind !== 'url' || session === undefined) return undefined;
  const { revision, era } = session;
  const params = { name: tool.name, arguments: args };
  if (era === 'handshake') return handshakeCurl(address.url, revision, params);
  const mirrored = mirroredParameters(tool.inputSchema);
  const headers = {
    [VERSION_HEADER]: revision,
    [METHOD_HEADER]: 'tools/call',
    [NAME_HEADER]: encodeHeaderValue(tool.name),
    ...(mirrored.ok ? parameterHeaders(mirrored.parameters, { ...args }) : {}),
  };
  const meta = {
    [META_PROTOCOL_VERSION]: revision,
    [META_CLIENT_INFO]: { name: 'curl', version: '1' },
    [META_CLIENT_CAPABILITIES]: {},
  };
  return post(address.url, headers, request(1, 'tools/call', { ...params, _meta: meta }));
}

/** Introduces itself first and keeps the session that it is given. */
function handshakeCurl(url: string, revision: string, params: object): string {
  const hello = request(1, 'initialize', {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: 'curl', version: '1' },
  });
  const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const headers = { [VERSION_HEADER]: revision, [SESSION_HEADER]: '$session' };
  const session = `session=$(${post(url, {}, hello, '-D - -o /dev/null')} \\
  | tr -d '\\r' | sed -n 's/^${SESSION_HEADER}: //ip')`;
  return [session, post(url, headers, ready), post(url, headers, request(2, 'tools/call', params))].join(
    '\n',
  );
}

function request(id: number, method: string, params: object): object {
  return { jsonrpc: '2.0', id, method, params };
}

function post(url: string, headers: Readonly<Record<string, string>>, body: object, extra = ''): string {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) =>
    // A variable is filled in between double quotes only.
    value.startsWith('$') ? `-H "${name}: ${value}"` : `-H ${shellWord(`${name}: ${value}`)}`,
  );
  return [
    `curl -s ${extra}${extra ? ' ' : ''}${shellWord(url)}`,
    ...lines,
    `-d ${shellWord(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}
