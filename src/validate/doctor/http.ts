/** Does the endpoint answer, and if not, why? */

import { isRecord } from '../../jsonrpc/message.js';
import { REVISIONS } from '../../protocol/revisions/index.js';
import type { ValidationTarget } from '../target.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../wire/http-connection.js';
import { parseJson, Recorder } from '../wire/recorder.js';
import { STEP_MS, type Step } from './step.js';

type UrlTarget = Exclude<ValidationTarget, { kind: 'stdio' }>;

/**
 * One POST of a handshake: most servers answer it, and the answers of the others show why. The old transport
 * is asked with GET.
 */
export async function diagnoseHttp(target: UrlTarget): Promise<readonly Step[]> {
  const connection = new HttpConnection(new Recorder(), { ...target, timeoutMs: STEP_MS });
  const version = REVISIONS.at(-2)?.version ?? '';
  const params = {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: 'plumb-doctor', version: '1' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const headers = { accept: `${JSON_TYPE}, ${SSE_TYPE}`, 'content-type': JSON_TYPE };
  try {
    const delivery = await connection.fetch(
      target.kind === 'sse'
        ? { method: 'GET', headers: { accept: SSE_TYPE } }
        : { method: 'POST', headers, body },
    );
    const step = httpStep(delivery.status, delivery.contentType, delivery.headers);
    if (target.kind === 'sse') delivery.abort();
    return delivery.status === 401 ? [step, await authStep(connection, delivery.headers)] : [step];
  } catch (error) {
    return [
      {
        name: 'http',
        ok: false,
        detail: error instanceof Error ? error.message : String(error),
        fix: 'The server accepts connections and does not speak HTTP in time.',
      },
    ];
  } finally {
    await connection.close();
  }
}

/** Whether a client can find out where to log in. */
async function authStep(
  connection: HttpConnection,
  headers: Readonly<Record<string, string>>,
): Promise<Step> {
  const challenge = headers['www-authenticate'];
  if (challenge === undefined)
    return {
      name: 'auth',
      ok: false,
      detail:
        'the server requires a token but does not name its authorization server: there is no WWW-Authenticate header',
      fix: 'Send WWW-Authenticate with resource_metadata, so that clients find the authorization server.',
    };
  const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
  const fix = 'Log in (plumb login URL), or send a token with --header "Authorization: Bearer ...".';
  if (!URL.canParse(address))
    return { name: 'auth', ok: false, detail: `the server says: ${challenge}`, fix };
  const answer = await connection
    .fetch({ method: 'GET', url: new URL(address), headers: { accept: JSON_TYPE } })
    .catch(() => undefined);
  await answer?.ended;
  const metadata = parseJson(answer?.body() ?? '');
  const servers = isRecord(metadata) ? metadata.authorization_servers : undefined;
  return Array.isArray(servers) && servers.length > 0
    ? { name: 'auth', ok: false, detail: `tokens come from ${servers.join(', ')}`, fix }
    : {
        name: 'auth',
        ok: false,
        detail: `${address} names no authorization server (HTTP ${answer?.status ?? 'failed'})`,
        fix: 'Serve the protected resource metadata with authorization_servers at that address.',
      };
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'Log in (plumb login URL), or send a token with --header "Authorization: Bearer ...".',
  403: 'The server refuses this client: check the token and its scopes, and whether it allows this Host.',
  404: 'No endpoint at this path: most servers use /mcp, old ones /sse.',
  405: 'The path takes no POST: it may be the old transport; try --sse, or the path /mcp.',
  406: 'The server refuses our Accept header: it may be no MCP endpoint.',
  415: 'The server refuses JSON: it may be no MCP endpoint.',
  429: 'Too many requests: wait, and try again.',
};

function httpStep(status: number, contentType: string, headers: Readonly<Record<string, string>>): Step {
  const detail = `HTTP ${status} ${contentType}`;
  // 400 with JSON is how a server of the stateless era alone refuses a handshake.
  if (status < 300 || (status === 400 && contentType === JSON_TYPE)) {
    if (contentType === 'text/html')
      return {
        name: 'http',
        ok: false,
        detail,
        fix: 'This is a web page, not an MCP endpoint: check the path.',
      };
    return { name: 'http', ok: true, detail };
  }
  if (status >= 300 && status < 400)
    return {
      name: 'http',
      ok: false,
      detail: `${detail} to ${headers.location ?? '?'}`,
      fix: 'Use the address that the server redirects to.',
    };
  const fix = ADVICE[status] ?? (status >= 500 ? 'The server failed: see its own log.' : 'Check the URL.');
  return { name: 'http', ok: false, detail, fix };
}
