/** A server that wants a token, seen from both sides of its door. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import type { Delivery } from '../../wire/connection.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../../wire/http-connection.js';
import { parseJson } from '../../wire/recorder.js';
import { cheapMethod } from '../expect.js';
import { endOf } from '../http/deliveries.js';

const DOCUMENT_MS = 5_000;

export interface GuardRefusal {
  readonly status: number;
  readonly header: string;
}

export interface GuardedRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Of the message in a POST. */
  readonly call?: string;
  /** The value of Authorization; undefined sends none. */
  readonly authorization?: string | undefined;
  readonly search?: string;
}

/** The Authorization header that the user gave, whatever its letters. */
export function givenToken({ target }: Probe): string | undefined {
  if (target.kind === 'stdio') return undefined;
  return Object.entries(target.headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
}

/** One request with exactly this authorization. */
export async function knock(session: ValidatorSession, request: GuardedRequest): Promise<GuardRefusal> {
  const { connection: http, revision } = session;
  if (!(http instanceof HttpConnection)) return { status: 0, header: '' };
  const url = new URL(http.url);
  if (request.search !== undefined) url.search = request.search;
  const authorization = request.authorization;
  if (request.method !== 'POST') {
    const headers = { accept: SSE_TYPE, ...http.standing, authorization };
    return answerOf(await http.fetch({ method: request.method, url, headers }));
  }
  const method = request.call ?? (session.stateless ? 'server/discover' : 'ping');
  const opening = method === 'initialize';
  const params = opening
    ? { protocolVersion: revision.version, capabilities: {}, clientInfo: session.clientInfo }
    : session.complete({});
  const body = JSON.stringify({ jsonrpc: '2.0', id: session.nextId(), method, params });
  const headers = {
    accept: `${JSON_TYPE}, ${SSE_TYPE}`,
    'content-type': JSON_TYPE,
    ...(opening ? {} : http.standing),
    ...session.headersFor(method, params),
    authorization,
  };
  return answerOf(await http.fetch({ method: 'POST', url, headers, body, hostile: true }));
}

function answerOf(delivery: Delivery): GuardRefusal {
  delivery.abort();
  return { status: delivery.status, header: delivery.headers['www-authenticate'] ?? '' };
}

/** Everything that a client sends: the first request, those of a session, and streams. */
function entrances(probe: Probe): readonly GuardedRequest[] {
  const posts: GuardedRequest[] = probe.stateless
    ? [{ method: 'POST', call: 'server/discover' }]
    : [
        { method: 'POST', call: 'initialize' },
        { method: 'POST', call: 'ping' },
      ];
  for (const [capability, call] of [
    ['tools', 'tools/list'],
    ['resources', 'resources/list'],
    ['prompts', 'prompts/list'],
  ] as const)
    if (probe.declares(capability)) posts.push({ method: 'POST', call });
  return posts;
}

export interface Documents {
  /** Protected resource metadata, and where it was found. */
  readonly resource: JsonObject | undefined;
  readonly address: string;
  /** Authorization server metadata at the origin itself, as the first revision with authorization has it. */
  readonly server: JsonObject | undefined;
}

async function documentsOf(session: ValidatorSession, header: string): Promise<Documents> {
  const { connection: http } = session;
  if (!(http instanceof HttpConnection)) return { resource: undefined, address: '', server: undefined };
  const named = /resource_metadata="?([^",\s]+)"?/.exec(header)?.[1];
  const path = http.url.pathname === '/' ? '' : http.url.pathname;
  const places = [
    named,
    new URL(`/.well-known/oauth-protected-resource${path}`, http.url).href,
    new URL('/.well-known/oauth-protected-resource', http.url).href,
  ];
  let found: { resource: JsonObject; address: string } | undefined;
  for (const place of places) {
    if (found !== undefined || place === undefined || !URL.canParse(place)) continue;
    const resource = await documentAt(http, new URL(place));
    if (resource !== undefined) found = { resource, address: place };
  }
  const server = await documentAt(http, new URL('/.well-known/oauth-authorization-server', http.url));
  return { resource: found?.resource, address: found?.address ?? named ?? '', server };
}

async function documentAt(http: HttpConnection, url: URL): Promise<JsonObject | undefined> {
  const headers = { accept: JSON_TYPE, authorization: undefined };
  const delivery = await http.fetch({ method: 'GET', url, headers, apart: true }).catch(() => undefined);
  if (delivery === undefined || delivery.status !== 200) {
    delivery?.abort();
    return undefined;
  }
  if (!(await endOf(delivery, DOCUMENT_MS))) delivery.abort();
  const value = parseJson(delivery.body());
  return isRecord(value) ? value : undefined;
}

export interface AccessGuard {
  readonly documents: Documents;
  /** What a request without a token got, by entrance. */
  readonly refusals: readonly (GuardRefusal & { readonly request: GuardedRequest })[];
  /** The first challenge among them. */
  readonly challenge: GuardRefusal | undefined;
}

const guards = new WeakMap<Probe['recorder'], Promise<AccessGuard>>();

/** How the server treats requests without a token; asked once for all checks of a run. */
function guardOf(probe: Probe, session: ValidatorSession): Promise<AccessGuard> {
  let guard = guards.get(probe.recorder);
  if (guard === undefined) {
    guard = inspect(probe, session);
    guards.set(probe.recorder, guard);
  }
  return guard;
}

async function inspect(probe: Probe, session: ValidatorSession): Promise<AccessGuard> {
  const refusals: (GuardRefusal & { request: GuardedRequest })[] = [];
  for (const request of entrances(probe)) refusals.push({ ...(await knock(session, request)), request });
  const challenge = refusals.find(({ status }) => status === 401 || status === 403);
  return { documents: await documentsOf(session, challenge?.header ?? ''), refusals, challenge };
}

/**
 * Whether this server wants a token: it refused something without one, or the user has one and the server
 * publishes where tokens come from, or refuses another. Only then is a request that it lets in a fault.
 */
export async function wantsToken(probe: Probe, session: ValidatorSession): Promise<AccessGuard | undefined> {
  const guard = await guardOf(probe, session);
  if (guard.challenge !== undefined) return guard;
  // Who gave no token and is served everywhere has met a server for which tokens are optional.
  if (givenToken(probe) === undefined) return undefined;
  if (guard.documents.resource !== undefined) return guard;
  const wrong = await knock(session, {
    method: 'POST',
    call: cheapMethod(probe),
    authorization: 'Bearer plumb-not-a-token',
  });
  return wrong.status === 401 || guard.documents.server !== undefined ? guard : undefined;
}

/** A refusal as a report shows it. */
export function shownRefusal({ status, header }: GuardRefusal): string {
  return `HTTP ${status}\nwww-authenticate: ${header}`;
}
