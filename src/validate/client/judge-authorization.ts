/** What a login shows about a client. */

import { createHash } from 'node:crypto';
import type { ClientJudge } from './judge.js';
import type { Stage, StageRequest } from './stage.js';

/** A login for each 403 is patience; many are none. */
const MAX_LOGINS = 6;

export function sentTo(stage: Stage, start: string): readonly StageRequest[] {
  return stage.heard.filter(({ path }) => path.startsWith(start));
}

export function judgeAuthorization(stage: Stage, judge: ClientJudge): void {
  const at = (start: string): readonly StageRequest[] => sentTo(stage, start);
  const challenged = at('/mcp').some(({ headers }) => headers.authorization === undefined);
  // A client without authorization gives up here, which it may.
  if (!challenged || stage.heard.every(({ path }) => path.startsWith('/mcp'))) return;
  const [metadata] = at('/metadata/here');
  judge.judge(
    '360',
    metadata !== undefined,
    'resource_metadata of the challenge was not used',
    'GET of that URL',
    at('/')[1]?.path ?? '(nothing)',
  );
  if (metadata === undefined) return;
  const [first] = at('/.well-known').filter(({ path }) => !path.includes('protected-resource'));
  judge.judge(
    '362',
    first?.path === '/.well-known/oauth-authorization-server/as',
    `The first document asked for is ${first?.path ?? '(none)'}`,
    '/.well-known/oauth-authorization-server/as',
    first?.path ?? '',
  );
  const [registered] = at('/as/register');
  if (registered !== undefined) {
    judge.judge(
      '371',
      ['native', 'web'].includes(String(registered.message?.application_type)),
      `Registration with application_type ${String(registered.message?.application_type)}`,
      'native or web',
      registered.text,
    );
    const uris = Array.isArray(registered.message?.redirect_uris) ? registered.message.redirect_uris : [];
    judge.judge(
      '379',
      uris.length > 0 &&
        uris.every((uri) => /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\]))/.test(String(uri))),
      'A redirect URI that is neither local nor https',
      'localhost or https',
      registered.text,
    );
  }
  const [authorized] = at('/as/authorize');
  if (authorized !== undefined) {
    const query = new URL(authorized.path, stage.origin).searchParams;
    judge.judge('366', query.has('code_challenge'), 'No PKCE', 'code_challenge', authorized.path);
    judge.judge(
      '367',
      query.get('code_challenge_method') === 'S256',
      `code_challenge_method ${query.get('code_challenge_method')}`,
      'S256',
      authorized.path,
    );
    judge.judge(
      '368',
      query.get('resource')?.replace(/\/$/, '') === `${stage.origin}/mcp`,
      `resource ${query.get('resource')}`,
      `${stage.origin}/mcp`,
      authorized.path,
    );
    judge.judge(
      '375',
      query.get('scope')?.includes('stage:read') ?? false,
      `scope ${query.get('scope')}`,
      'the scope of the challenge',
      authorized.path,
    );
    judge.judge(
      '381',
      !(query.get('scope') ?? '').split(' ').includes('offline_access'),
      'offline_access was requested although the authorization server does not offer it',
      'only what the authorization server lists',
      authorized.path,
    );
    const clientId = query.get('client_id') ?? '';
    if (URL.canParse(clientId)) {
      const { protocol, pathname } = new URL(clientId);
      judge.judge(
        '370',
        protocol === 'https:' && pathname.length > 1,
        `The client id ${clientId}`,
        'an https URL with a path, where its document is',
        authorized.path,
      );
    }
    judge.judge('378', (query.get('state') ?? '').length >= 8, 'No state', 'a random state', authorized.path);
  }
  const [token] = at('/as/token');
  if (token === undefined) return;
  const form = new URLSearchParams(token.text);
  const verifier = form.get('code_verifier') ?? '';
  const challenge =
    authorized === undefined
      ? undefined
      : new URL(authorized.path, stage.origin).searchParams.get('code_challenge');
  const proven = challenge === undefined || challenge === hashed(verifier);
  judge.judge(
    '366',
    verifier.length >= 43 && proven,
    'The token request has no code_verifier that fits the challenge',
    'the code_verifier of the challenge',
    token.text,
  );
  judge.judge(
    '368',
    form.get('resource')?.replace(/\/$/, '') === `${stage.origin}/mcp`,
    'The token request has no resource',
    'resource',
    token.text,
  );
  const later = at('/mcp').slice(
    stage.heard.filter((heard) => heard.path.startsWith('/mcp') && heard.at < token.at).length,
  );
  if (later.length > 0)
    judge.judge(
      '358',
      later.every(({ headers }) => headers.authorization === 'Bearer stage-token-of-as'),
      'A request without the token',
      'Authorization: Bearer on every request',
      later[0]?.text ?? '',
    );
}

/** The challenge of a verifier (RFC 7636, S256). */
function hashed(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** Every call is refused for want of scope, again and again. */
export function judgeStepUp(stage: Stage, judge: ClientJudge): void {
  const refused = stage.heard.some(({ message }) => message?.method === 'tools/call');
  const logins = sentTo(stage, '/as/authorize').map(({ path }) => new URL(path, stage.origin).searchParams);
  if (!refused || logins.length === 0) return;
  const [, second] = logins;
  judge.judge(
    '376',
    second !== undefined && logins.length <= MAX_LOGINS,
    `${logins.length} login(s) for a call that lacks scope`,
    'another login, a limited number of times',
    logins.map((query) => query.get('scope')).join('; '),
  );
  if (second === undefined) return;
  const scopes = (second.get('scope') ?? '').split(' ');
  judge.judge(
    '377',
    scopes.includes('stage:read') && scopes.includes('stage:write'),
    `scope ${second.get('scope')}`,
    'stage:read stage:write',
    String(second),
  );
}
