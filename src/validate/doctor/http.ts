/** Does the endpoint answer, and if not, why? */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { REVISIONS } from '../../protocol/revisions/index.js';
import type { ValidationTarget } from '../target.js';
import type { Delivery } from '../wire/connection.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../wire/http-connection.js';
import { parseJson, Recorder } from '../wire/recorder.js';
import { STEP_MS, type Step } from './step.js';

type UrlTarget = Exclude<ValidationTarget, { kind: 'stdio' }>;

/**
 * One POST of a handshake: most servers answer it, and the answers of the others show why. The old transport
 * is asked with GET.
 */
export async function diagnoseHttp(target: UrlTarget): Promise<readonly Step[]> {
  const recorder = new Recorder();
  const connection = new HttpConnection(recorder, { ...target, timeoutMs: STEP_MS });
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
    const step = httpStep(target.url, delivery.status, delivery.contentType, delivery.headers);
    if (target.kind === 'sse') {
      delivery.abort();
      return [step];
    }
    if (delivery.status === 401) return [step, await authStep(connection, delivery.headers)];
    return step.ok ? [step, ...(await answerSteps(delivery, recorder))] : [step];
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

/** What is in the answer: it has to end, and to answer the request. Nothing where all is well. */
async function answerSteps(delivery: Delivery, recorder: Recorder): Promise<readonly Step[]> {
  const started = performance.now();
  const answered = (): JsonObject | undefined => {
    const entry = recorder.entries.find(
      ({ direction, stream, value }) =>
        direction === 'received' && stream === delivery.stream && isRecord(value) && !('method' in value),
    );
    return isRecord(entry?.value) ? entry.value : undefined;
  };
  let over = false;
  void delivery.ended.then(() => {
    over = true;
  });
  while (!over && answered() === undefined && performance.now() - started < STEP_MS)
    await new Promise((resolve) => setTimeout(resolve, 20));
  delivery.abort();
  const answer = answered();
  const failed = { name: 'answer', ok: false } as const;
  if (answer === undefined && !over)
    return [
      {
        ...failed,
        detail: `the answer to initialize did not come, or did not end, within ${STEP_MS / 1000} s of its headers`,
        fix: 'Send the response and end the body (or, in an event stream, send the event): see the log of the server.',
      },
    ];
  if (answer === undefined)
    return [
      {
        ...failed,
        detail: `the body is no JSON-RPC response: ${JSON.stringify(delivery.body().slice(0, 120))}`,
        fix: 'This is not an MCP endpoint, or it answers with something else than JSON-RPC: check the path.',
      },
    ];
  if (answer.id !== 1 && answer.id !== null && answer.id !== undefined)
    return [
      {
        ...failed,
        detail: `the response has id ${JSON.stringify(answer.id)}, but the request had id 1`,
        fix: 'Copy the id of the request into its response, with its type: clients find their request by it.',
      },
    ];
  return [];
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
  if (answer !== undefined)
    await Promise.race([answer.ended, new Promise((resolve) => setTimeout(resolve, STEP_MS))]);
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

function httpStep(
  url: URL,
  status: number,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): Step {
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
  const location = headers.location ?? '';
  const next = URL.canParse(location, url.href) ? new URL(location, url.href).href : location;
  if (status >= 300 && status < 400 && next === url.href)
    return {
      name: 'http',
      ok: false,
      detail: `${detail}: the server redirects to the same address, without end`,
      fix: 'Correct the redirect: it often comes from a rule for https or for a trailing slash before the server.',
    };
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
