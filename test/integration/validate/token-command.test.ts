/** `--token-command` with a real authorization server: which tokens a server takes that it must not take. */

import { fileURLToPath } from 'node:url';
import { compactVerify, createRemoteJWKSet, decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bearer } from '../../../src/auth/index.js';
import { isRecord } from '../../../src/jsonrpc/message.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer } from '../../../src/server/index.js';
import type { HttpAuth } from '../../../src/transports/http/server/exchange.js';
import { type Report, reportOf, validateServer } from '../../../src/validate/index.js';
import type { TokenWish } from '../../../src/validate/probe.js';
import { urlTarget } from '../../../src/validate/target.js';
import { cleanup } from '../../support/cleanup.js';
import { freePort } from '../../support/free-port.js';
import { LATE_MACHINE, MACHINE, type OidcProvider, startOidcProvider } from '../../support/oidc-provider.js';
import { start } from '../cli/plumb.js';

const MINT = fileURLToPath(new URL('./fixtures/mint-token.mjs', import.meta.url));
const TWO_MINUTES = { timeout: 120_000 };
const JUDGED = ['343', '344', '350', '351', '353', '355'];

let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider(['mcp', 'files:write']);
});
afterAll(() => provider.close());

interface Faults {
  /** Accepts a token although this is wrong with it. */
  readonly ignores?: 'expiry' | 'audience' | 'audience path' | 'scope';
  readonly query?: boolean;
  /** Every request needs the scope `mcp`; the tool always needs `files:write`. */
  readonly requiredScopes?: readonly string[];
}

/** A server that wants tokens of the provider, with a fault or without one. */
async function startServer(faults: Faults = {}): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = createServer({ name: 'guarded', version: '1.0.0' });
  server.tool('look', { description: 'Looks', annotations: { readOnlyHint: true } }, () => 'seen');
  server.tool(
    'list_files',
    {
      description: 'Lists files',
      annotations: { readOnlyHint: true },
      ...(faults.ignores === 'scope' ? {} : { scopes: ['files:write'] }),
    },
    () => 'none',
  );
  const handle = await server.http({ port, auth: authFor(url, faults) });
  cleanup(() => handle.close({ drain: 0 }));
  return url;
}

function authFor(url: string, { ignores, query = false, requiredScopes = [] }: Faults): HttpAuth {
  const options = { issuer: provider.issuer, audience: url };
  const honest = bearer({ ...options, requiredScopes: ignores === 'scope' ? [] : requiredScopes });
  const keys = createRemoteJWKSet(new URL(`${provider.issuer}/jwks`));
  const lenient = bearer({
    ...options,
    verify: async (token) => {
      await compactVerify(token, keys);
      const claims = decodeJwt(token);
      const audience = String(claims.aud);
      const fits =
        ignores === 'audience' || (ignores === 'audience path' ? audience.startsWith(url) : audience === url);
      const fresh = ignores === 'expiry' || (claims.exp ?? 0) > Date.now() / 1000;
      if (!fits || !fresh) throw new Error('not valid');
      return { ...claims };
    },
  });
  const auth = ignores === undefined || ignores === 'scope' ? honest : lenient;
  return {
    ...auth,
    authenticate: async (request) => {
      const token = query ? request.query('access_token') : undefined;
      const taken = token === undefined ? request : { ...request, header: () => `Bearer ${token}` };
      const answer = await auth.authenticate(taken);
      // A challenge that names a scope which nobody looks at.
      if (ignores !== 'scope' || !('status' in answer)) return answer;
      const challenge = answer.headers?.['WWW-Authenticate'];
      return { ...answer, headers: { 'WWW-Authenticate': `${challenge}, scope="mcp"` } };
    },
  };
}

/** As `plumb validate --token-command` does it: each token is minted by a command. */
async function verdicts(url: string): Promise<ReadonlyMap<string, string>> {
  const command = [
    process.execPath,
    MINT,
    `${provider.issuer}/token`,
    `${MACHINE.client_id}:${MACHINE.client_secret}`,
    `${LATE_MACHINE.client_id}:${LATE_MACHINE.client_secret}`,
  ];
  const words = ['validate', url, '--json', '--only', JUDGED.join(), '--token-command'];
  const { stdout, stderr } = await start([...words, command.map((word) => `"${word}"`).join(' ')]).ended;
  if (stdout === '') throw new Error(stderr);
  return judgedIn(JSON.parse(stdout));
}

/** The same in this process, in the newest revision. */
async function verdictsHere(url: string): Promise<ReadonlyMap<string, string>> {
  const mintToken = async ({ scope, audience, expired = false }: TokenWish): Promise<string | undefined> => {
    const { client_id, client_secret } = expired ? LATE_MACHINE : MACHINE;
    const scopes = scope ?? 'mcp files:write';
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id,
      client_secret,
      resource: audience ?? url,
      ...(scopes === '' ? {} : { scope: scopes }),
    });
    const response = await fetch(`${provider.issuer}/token`, { method: 'POST', body });
    const answer: unknown = await response.json();
    return isRecord(answer) && typeof answer.access_token === 'string' ? answer.access_token : undefined;
  };
  const authorization = `Bearer ${await mintToken({ audience: url })}`;
  const target = urlTarget(url, { headers: { authorization } });
  const options = { revisions: REVISIONS.slice(-1), only: JUDGED, mintToken };
  return judgedIn(reportOf(await validateServer(target, options)));
}

function judgedIn(report: Report): ReadonlyMap<string, string> {
  return new Map(
    report.revisions.flatMap(({ revision, outcomes }) =>
      outcomes
        .filter(({ id }) => JUDGED.includes(id))
        .map(({ id, verdict }) => [`${revision} ${id}`, verdict]),
    ),
  );
}

describe('--token-command', () => {
  test('a correct server passes in every revision that has authorization', TWO_MINUTES, async () => {
    const found = await verdicts(await startServer());
    expect([...found.values()].filter((verdict) => verdict === 'fail')).toEqual([]);
    for (const key of [
      '2025-03-26 344',
      '2025-03-26 353',
      '2025-06-18 351',
      '2025-11-25 350',
      '2026-07-28 344',
      '2026-07-28 350',
      '2026-07-28 351',
      '2026-07-28 353',
      '2026-07-28 355',
    ])
      expect(found.get(key), key).toBe('pass');
  });

  test('a server that needs a scope for every request passes', TWO_MINUTES, async () => {
    const found = await verdictsHere(await startServer({ requiredScopes: ['mcp'] }));
    for (const id of JUDGED) expect(found.get(`2026-07-28 ${id}`), id).toBe('pass');
  });

  test.each<[id: string, faults: Faults]>([
    ['344', { ignores: 'expiry' }],
    ['351', { ignores: 'audience' }],
    ['351', { ignores: 'audience path' }],
    ['350', { ignores: 'scope' }],
    ['353', { query: true }],
  ])('finds (%s) a server that %o', TWO_MINUTES, async (id, faults) => {
    const found = await verdictsHere(await startServer(faults));
    expect([...found].filter(([, verdict]) => verdict === 'fail')).toEqual([[`2026-07-28 ${id}`, 'fail']]);
  });

  test('a command that prints no token is wrong usage, and its words are shown', TWO_MINUTES, async () => {
    const url = await startServer();
    const { code, stderr } = await start([
      'validate',
      url,
      '--token-command',
      `${process.execPath} -e "console.error('no credentials here')"`,
    ]).ended;
    expect(code).toBe(2);
    expect(stderr).toContain('no credentials here');
    expect(stderr).toContain(`TOKEN_AUDIENCE=${url}`);
  });
});
