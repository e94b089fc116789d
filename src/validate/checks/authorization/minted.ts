/** Tokens that the user's command mints: expired ones, ones for other servers, ones that allow less or more. */

import type { Probe, TokenWish } from '../../probe.js';
import { openSession } from '../../session/open.js';
import type { WireReply } from '../../session/reply.js';
import type { ValidatorSession } from '../../session/session.js';
import { urlTarget } from '../../target.js';
import { Recorder } from '../../wire/recorder.js';
import { type AccessGuard, type GuardRefusal, knock, shownRefusal } from './guard.js';

const MINTING = 'needs tokens of its own: --token-command COMMAND';
const OTHER_AUDIENCE = 'https://other.example.com/mcp';
const MAX_CALLS = 6;

type GuardedSession = AccessGuard & { readonly session: ValidatorSession };

/** Expiry, audience and scope: 344, 350, 351, 355. */
export async function judgeMinted(probe: Probe, guard: GuardedSession): Promise<void> {
  if (probe.settings.mintToken === undefined) return probe.skipAll('350 351 355', MINTING);
  const resource = resourceOf(probe, guard);
  await judgeRefused(probe, guard, '344', 'An expired token', { audience: resource, expired: true });
  await judgeRefused(probe, guard, '351', 'A token for another server', { audience: OTHER_AUDIENCE });
  // A server that compares the beginning only takes the token of its neighbour.
  await judgeRefused(probe, guard, '351', 'A token for another path of this server', {
    audience: `${resource}-other`,
  });
  await judgeScopes(probe, guard, resource);
}

/** What tokens for this server are made out to. */
function resourceOf({ target }: Probe, { documents }: GuardedSession): string {
  const named = documents.resource?.resource;
  return typeof named === 'string' || target.kind === 'stdio' ? String(named) : target.url.href;
}

/** A token that must not open anything: neither the first request nor a later one of a session. */
async function judgeRefused(
  probe: Probe,
  { session }: GuardedSession,
  id: string,
  what: string,
  wish: TokenWish,
): Promise<void> {
  const token = await probe.settings.mintToken?.(wish);
  if (token === undefined) return probe.skip(id, `--token-command printed no token: ${described(wish)}`);
  const calls = [session.stateless ? 'server/discover' : 'initialize'];
  if (probe.declares('tools')) calls.push('tools/list');
  for (const call of calls) {
    const refusal = await knock(session, { method: 'POST', call, authorization: `Bearer ${token}` });
    probe.judge(id, refusal.status === 401, `${what} (${call}): HTTP ${refusal.status}`, '401', {
      sent: `${call} with a token for ${described(wish)}`,
      received: shownRefusal(refusal),
    });
  }
}

function described({ scope, audience, expired = false }: TokenWish): string {
  const parts = [
    ...(scope === undefined ? [] : [`TOKEN_SCOPE="${scope}"`]),
    ...(audience === undefined ? [] : [`TOKEN_AUDIENCE="${audience}"`]),
    ...(expired ? ['TOKEN_EXPIRED=1'] : []),
  ];
  return parts.join(' ');
}

async function judgeScopes(probe: Probe, guard: GuardedSession, audience: string): Promise<void> {
  const wish = { audience, scope: '' };
  const token = await probe.settings.mintToken?.(wish);
  if (token === undefined)
    return probe.skipAll('350 355', `--token-command printed no token: ${described(wish)}`);
  const sent = `a request with a token without scopes (${described(wish)})`;
  const visit = await firstRefusal(probe, token);
  const { refusal } = visit;
  if (refusal === undefined) return judgeAdmitted(probe, guard, { ...visit, sent });
  const { status, header } = refusal;
  const complete =
    /insufficient_scope/.test(header) && /scope=/.test(header) && /resource_metadata=/.test(header);
  probe.judge(
    '350',
    status === 403 && complete,
    `A token without the scope: HTTP ${status}`,
    '403 with error="insufficient_scope", scope and resource_metadata',
    { sent, received: shownRefusal(refusal) },
  );
  const needed = /scope="([^"]+)"/.exec(header)?.[1];
  if (needed === undefined) return probe.skip('355', 'the challenge names no scope');
  await judgeBroad(probe, guard, audience, { needed, steps: visit.steps });
}

/** Where the challenge asks for a scope, and a token without it opens everything, nobody looks at scopes. */
function judgeAdmitted(
  probe: Probe,
  { challenge }: GuardedSession,
  { sent, called }: Visit & { readonly sent: string },
): void {
  probe.skip('355', 'the server asks for no scope');
  const asked = /scope="([^"]+)"/.exec(challenge?.header ?? '')?.[1];
  if (asked === undefined) probe.skip('350', 'the server asks for no scope');
  else if (called === 0)
    probe.skip('350', 'no tool may be called with the token; --call-tools allows all of them');
  else
    probe.fail('350', `The challenge asks for the scope "${asked}", and a token without it is accepted`, {
      sent,
      received: 'a result',
      expected: '403 with error="insufficient_scope"',
    });
}

/** A token with every scope that the server names includes the needed one. */
async function judgeBroad(
  probe: Probe,
  { documents }: GuardedSession,
  audience: string,
  { needed, steps }: { readonly needed: string; readonly steps: number },
): Promise<void> {
  const supported = Array.isArray(documents.resource?.scopes_supported)
    ? documents.resource.scopes_supported.filter((scope) => typeof scope === 'string')
    : [];
  const wish = { audience, scope: [...new Set([...needed.split(' '), ...supported])].join(' ') };
  const token = await probe.settings.mintToken?.(wish);
  if (token === undefined) return probe.skip('355', `--token-command printed no token: ${described(wish)}`);
  const visit = await firstRefusal(probe, token);
  // What comes after the request that was refused before may need other scopes.
  const refusal = visit.steps > steps ? undefined : visit.refusal;
  probe.judge(
    '355',
    refusal === undefined,
    `A token with all scopes: HTTP ${refusal?.status}`,
    'a result: the scopes include those of the challenge',
    {
      sent: `a request with a token for ${described(wish)}`,
      received: refusal === undefined ? 'a result' : shownRefusal(refusal),
    },
  );
}

interface Visit {
  readonly refusal: GuardRefusal | undefined;
  /** How many requests were sent, the refused one included. */
  readonly steps: number;
  /** How many of them called tools. */
  readonly called: number;
}

/** A session with this token and no other: the first thing that it is refused. */
async function firstRefusal(probe: Probe, token: string): Promise<Visit> {
  const { target, revision, settings } = probe;
  if (target.kind === 'stdio') return { refusal: undefined, steps: 0, called: 0 };
  const others = Object.entries(target.headers).filter(([name]) => name.toLowerCase() !== 'authorization');
  const visited = urlTarget(target.url, {
    headers: { ...Object.fromEntries(others), authorization: `Bearer ${token}` },
    transport: target.kind,
  });
  // What is said there is not judged by the rules for other sessions.
  const opening = { target: visited, recorder: new Recorder(), revision, timeoutMs: settings.timeoutMs };
  const { session, greeting } = await openSession(opening, { standalone: false });
  try {
    const first = greeting ?? (await session.request('server/discover'));
    session.parameterHeaders = probe.shared.parameterHeaders;
    const lists = probe.declares('tools') ? [{ method: 'tools/list', params: {} }] : [];
    const calls = probe.goodCalls.slice(0, MAX_CALLS);
    let refusal = refusalIn(first);
    let steps = 1;
    for (const { method, params } of [...lists, ...calls]) {
      if (refusal !== undefined) break;
      steps += 1;
      refusal = refusalIn(await session.request(method, params));
    }
    return { refusal, steps, called: Math.max(0, steps - 1 - lists.length) };
  } finally {
    await session.close();
  }
}

function refusalIn({ delivery }: WireReply): GuardRefusal | undefined {
  if (delivery === undefined || (delivery.status !== 401 && delivery.status !== 403)) return undefined;
  return { status: delivery.status, header: delivery.headers['www-authenticate'] ?? '' };
}
