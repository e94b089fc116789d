/** Servers that want a token: how they refuse, and where they send the client. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { type Check, check, OVER_HTTP } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { Delivery } from '../../wire/connection.js';
import { HttpConnection, SSE_TYPE } from '../../wire/http-connection.js';
import { parseJson } from '../../wire/recorder.js';
import { cheapMethod } from '../expect.js';

interface Challenge {
  readonly http: HttpConnection;
  readonly status: number;
  readonly header: string;
}

/** What the server says to a request without a token; undefined when it does not want one. */
async function challenge(
  probe: Probe,
  headers: Readonly<Record<string, string | undefined>> = {},
  search = '',
): Promise<Challenge | undefined> {
  const session = await probe.session();
  const { connection: http } = session;
  if (!(http instanceof HttpConnection)) return undefined;
  const method = cheapMethod(probe);
  const params = session.complete({});
  const body = JSON.stringify({ jsonrpc: '2.0', id: session.nextId(), method, params });
  const url = new URL(http.url);
  if (search !== '') url.search = search;
  const sent = {
    accept: `application/json, ${SSE_TYPE}`,
    'content-type': 'application/json',
    ...http.standing,
    ...session.headersFor(method, params),
    authorization: undefined,
    ...headers,
  };
  const delivery = await http.fetch({ method: 'POST', url, headers: sent, body });
  delivery.abort();
  return { http, status: delivery.status, header: delivery.headers['www-authenticate'] ?? '' };
}

async function wanted(probe: Probe, ids: readonly string[]): Promise<Challenge | undefined> {
  const found = await challenge(probe);
  if (found?.status === 401 || found?.status === 403) return found;
  for (const id of ids) probe.skip(id, 'the server wants no token');
  return undefined;
}

async function bodyOf(delivery: Delivery): Promise<JsonObject | undefined> {
  await delivery.ended;
  const value = parseJson(delivery.body());
  return isRecord(value) ? value : undefined;
}

async function metadata({ http, header }: Challenge): Promise<JsonObject | undefined> {
  const named = /resource_metadata="?([^",\s]+)"?/.exec(header)?.[1];
  const path = http.url.pathname === '/' ? '' : http.url.pathname;
  const places = [
    named,
    new URL(`/.well-known/oauth-protected-resource${path}`, http.url).href,
    new URL('/.well-known/oauth-protected-resource', http.url).href,
  ];
  for (const place of places) {
    if (place === undefined || !URL.canParse(place)) continue;
    const delivery = await http.fetch({
      method: 'GET',
      url: new URL(place),
      headers: { authorization: undefined },
    });
    const found = delivery.status === 200 ? await bodyOf(delivery) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export const authorizationChecks: readonly Check[] = [
  check(
    '343 346 349 354',
    async (probe) => {
      const found = await wanted(probe, ['343', '346', '349', '354']);
      if (found === undefined) return;
      const evidence = {
        sent: 'a request without Authorization',
        received: `HTTP ${found.status}\nwww-authenticate: ${found.header}`,
      };
      probe.judge(
        '343',
        found.status === 401,
        `A request without a token: HTTP ${found.status}`,
        '401',
        evidence,
      );
      probe.judge(
        '346',
        /resource_metadata=/.test(found.header),
        'The challenge does not name resource_metadata',
        'WWW-Authenticate with resource_metadata',
        evidence,
      );
      probe.judge('349', /scope=/.test(found.header), 'The challenge names no scope', 'scope', evidence);
      probe.judge(
        '354',
        !/offline_access/.test(found.header),
        'The challenge asks for offline_access',
        'no offline_access',
        evidence,
      );
    },
    OVER_HTTP,
  ),
  check(
    '344 353 225',
    async (probe) => {
      if ((await wanted(probe, ['344', '353', '225'])) === undefined) return;
      const bad = await challenge(probe, { authorization: 'Bearer plumb-not-a-token' });
      probe.judge('344', bad?.status === 401, `An invalid token: HTTP ${bad?.status}`, '401', {
        received: `HTTP ${bad?.status}`,
      });
      const query = await challenge(probe, {}, '?access_token=plumb-not-a-token');
      probe.judge('353', query?.status === 401, `A token in the query: HTTP ${query?.status}`, '401', {
        received: `HTTP ${query?.status}`,
      });
      // Our session stands by now: a request without the token is refused all the same.
      const again = await challenge(probe);
      probe.judge(
        '225',
        again?.status === 401,
        `In the middle of a session without a token: HTTP ${again?.status}`,
        '401',
        { received: `HTTP ${again?.status}` },
      );
    },
    OVER_HTTP,
  ),
  check(
    '345',
    async (probe) => {
      const found = await wanted(probe, ['345']);
      if (found === undefined) return;
      for (const method of ['GET', 'DELETE']) {
        const delivery = await found.http.fetch({
          method,
          headers: { accept: SSE_TYPE, ...found.http.standing, authorization: undefined },
        });
        delivery.abort();
        const ok = delivery.status === 401 || delivery.status === 405;
        probe.judge('345', ok, `${method} without a token: HTTP ${delivery.status}`, '401', {
          received: `HTTP ${delivery.status}`,
        });
      }
    },
    OVER_HTTP,
  ),
  check(
    '347 348 357',
    async (probe) => {
      const found = await wanted(probe, ['347', '348', '357']);
      if (found === undefined) return;
      const document = await metadata(found);
      const received = JSON.stringify(document ?? null);
      probe.judge(
        '347',
        document !== undefined,
        'There is no protected resource metadata',
        'resource_metadata in the challenge, or a well-known document',
        { received },
      );
      const servers = Array.isArray(document?.authorization_servers) ? document.authorization_servers : [];
      probe.judge(
        '348',
        servers.length > 0,
        'The metadata names no authorization server',
        'authorization_servers',
        { received },
      );
      const plain = servers.find(
        (url) =>
          typeof url === 'string' &&
          url.startsWith('http:') &&
          !/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])/.test(url),
      );
      probe.judge('357', plain === undefined, `${String(plain)} is not https`, 'https', { received });
    },
    OVER_HTTP,
  ),
  check(
    '356',
    async (probe) => {
      const found = await wanted(probe, ['356']);
      if (found === undefined) return;
      const well = await found.http.fetch({
        method: 'GET',
        url: new URL('/.well-known/oauth-authorization-server', found.http.url),
        headers: {},
      });
      well.abort();
      if (well.status === 200) return probe.skip('356', 'the server has authorization server metadata');
      for (const path of ['/authorize', '/token', '/register']) {
        const delivery = await found.http.fetch({
          method: path === '/authorize' ? 'GET' : 'POST',
          url: new URL(path, found.http.url),
          headers: {},
        });
        delivery.abort();
        probe.judge('356', delivery.status !== 404, `${path} does not exist`, 'the default endpoint', {
          received: `HTTP ${delivery.status}`,
        });
      }
    },
    OVER_HTTP,
  ),
];
