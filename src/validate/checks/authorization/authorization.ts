/** Servers that want a token: how they refuse, and where they send the client. */

import { type Check, OVER_HTTP, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import { HttpConnection } from '../../wire/http-connection.js';
import {
  type AccessGuard,
  type GuardedRequest,
  givenToken,
  knock,
  shownRefusal,
  wantsToken,
} from './guard.js';
import { judgeMinted } from './minted.js';

const NO_TOKEN = 'the server wants no token';

/** A check of servers that want a token. */
function guarded(
  ids: string,
  run: (probe: Probe, guard: AccessGuard & { readonly session: ValidatorSession }) => Promise<void> | void,
): Check {
  return ownCheck(
    ids,
    async (probe) => {
      const { session } = await probe.open({ standalone: false });
      const guard = await wantsToken(probe, session);
      if (guard === undefined) probe.skipAll(ids, NO_TOKEN);
      else await run(probe, { ...guard, session });
    },
    OVER_HTTP,
  );
}

export const authorizationChecks: readonly Check[] = [
  guarded('343 225', (probe, { refusals }) => {
    for (const { request, status, header } of refusals) {
      const shown = {
        sent: `${request.call} without Authorization`,
        received: shownRefusal({ status, header }),
      };
      probe.judge('343', status === 401, `${request.call} without a token: HTTP ${status}`, '401', shown);
      if (request.call !== 'initialize')
        probe.judge(
          '225',
          status === 401,
          `${request.call} without the token of its session: HTTP ${status}`,
          '401',
          shown,
        );
    }
  }),
  guarded('346 349 354 347 348 357', (probe, guard) => judgeDocuments(probe, guard)),
  guarded('344', async (probe, { session }) => {
    for (const [what, authorization] of badTokens(givenToken(probe))) {
      const call = probe.declares('tools') ? 'tools/list' : undefined;
      for (const request of [{}, ...(call === undefined ? [] : [{ call }])]) {
        const { status, header } = await knock(session, { method: 'POST', ...request, authorization });
        probe.judge('344', status === 401, `${what}: HTTP ${status}`, '401', {
          sent: what,
          received: shownRefusal({ status, header }),
        });
      }
    }
  }),
  guarded('353', async (probe, { session }) => {
    const token = givenToken(probe)?.replace(/^\S+\s+/, '');
    if (token === undefined)
      return probe.skip('353', 'needs a token that works: --header "Authorization: Bearer ..."');
    for (const name of ['access_token', 'token']) {
      const search = `?${name}=${encodeURIComponent(token)}`;
      const { status, header } = await knock(session, { method: 'POST', search });
      probe.judge('353', status === 401, `The token in the query (${name}): HTTP ${status}`, '401', {
        sent: `POST ?${name}=(hidden)`,
        received: shownRefusal({ status, header }),
      });
    }
  }),
  guarded('345', async (probe, { session }) => {
    for (const method of ['GET', 'DELETE'] as const) {
      for (const authorization of [undefined, 'Bearer plumb-not-a-token']) {
        const request: GuardedRequest = { method, authorization };
        const { status, header } = await knock(session, request);
        const what = authorization === undefined ? 'without a token' : 'with an invalid token';
        probe.judge('345', status === 401 || status === 405, `${method} ${what}: HTTP ${status}`, '401', {
          sent: `${method} ${what}`,
          received: shownRefusal({ status, header }),
        });
      }
    }
  }),
  guarded('356 410', async (probe, { session, documents }) => {
    const { connection: http } = session;
    if (!(http instanceof HttpConnection)) return;
    if (documents.server !== undefined) {
      probe.skip('356', 'the server has authorization server metadata');
      const { registration_endpoint: registration } = documents.server;
      probe.judge(
        '410',
        typeof registration === 'string',
        'The metadata names no registration_endpoint',
        'registration_endpoint',
        { received: JSON.stringify(documents.server) },
      );
      return;
    }
    // A later revision sends clients elsewhere: then nothing has to be here.
    if (documents.resource !== undefined)
      return probe.skipAll('356 410', 'the server names another authorization server');
    for (const path of ['/authorize', '/token', '/register']) {
      const delivery = await http.fetch({
        method: path === '/authorize' ? 'GET' : 'POST',
        url: new URL(path, http.url),
        headers: { authorization: undefined },
      });
      delivery.abort();
      const received = `HTTP ${delivery.status}`;
      probe.judge('356', delivery.status !== 404, `${path} does not exist`, 'the default endpoint', {
        received,
      });
      if (path === '/register')
        probe.judge('410', delivery.status !== 404, `${path} does not exist`, 'registration', { received });
    }
  }),
  guarded('344 350 351 355', judgeMinted),
];

function judgeDocuments(probe: Probe, { challenge, documents }: AccessGuard): void {
  const header = challenge?.header ?? '';
  const evidence = {
    sent: 'a request without Authorization',
    received: shownRefusal({ status: challenge?.status ?? 0, header }),
  };
  if (challenge?.status === 401) {
    probe.judge(
      '346',
      /resource_metadata=/.test(header) && /^bearer\b/i.test(header),
      'The challenge does not name resource_metadata',
      'WWW-Authenticate: Bearer with resource_metadata',
      evidence,
    );
    probe.judge('349', /scope=/.test(header), 'The challenge names no scope', 'scope', evidence);
  }
  const { resource } = documents;
  const received = JSON.stringify(resource ?? null);
  const scopes = Array.isArray(resource?.scopes_supported) ? resource.scopes_supported : [];
  probe.judge(
    '354',
    !/offline_access/.test(header) && !scopes.includes('offline_access'),
    'offline_access is asked for',
    'no offline_access',
    { sent: evidence.sent, received: `${evidence.received}\n${received}` },
  );
  probe.judge(
    '347',
    resource !== undefined,
    'There is no protected resource metadata',
    'resource_metadata in the challenge, or a well-known document',
    { received },
  );
  const listed = Array.isArray(resource?.authorization_servers) ? resource.authorization_servers : [];
  const valid = listed.length > 0 && listed.every((url) => typeof url === 'string' && URL.canParse(url));
  if (resource !== undefined || probe.ordinal > 3)
    probe.judge('348', valid, 'The metadata names no authorization server', 'authorization_servers', {
      received,
    });
  const plain = listed.find(
    (url) =>
      typeof url === 'string' &&
      url.startsWith('http:') &&
      !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])/.test(url),
  );
  if (resource !== undefined)
    probe.judge('357', plain === undefined, `${String(plain)} is not https`, 'https', { received });
}

/** Tokens that nobody issued: made up, empty, of another scheme, unsigned, and the user's own with another end. */
function badTokens(given: string | undefined): readonly (readonly [string, string])[] {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = `${part({ alg: 'none', typ: 'JWT' })}.${part({ sub: 'plumb', exp: 4_000_000_000 })}.`;
  const tokens: [string, string][] = [
    ['A made-up token', 'Bearer plumb-not-a-token'],
    ['An empty token', 'Bearer '],
    ['Another scheme', `Basic ${Buffer.from('plumb:plumb').toString('base64')}`],
    ['An unsigned JWT', `Bearer ${unsigned}`],
  ];
  if (given === undefined) return tokens;
  const flipped = given.endsWith('A') ? 'BB' : 'AA';
  tokens.push(['A token with another signature', `${given.slice(0, -4)}${flipped}${flipped}`]);
  tokens.push(['A token that is longer', `${given}x`]);
  return tokens;
}
