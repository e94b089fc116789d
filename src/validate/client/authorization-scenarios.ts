/** A client that has to log in: the server, the metadata and the authorization server are all on the stage. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { VERSION_HEADER } from '../../protocol/mirrored-headers.js';
import { actor, methodOf } from './actor.js';
import { judgeAuthorization, judgeStepUp, sentTo } from './judge-authorization.js';
import type { Scenario } from './scenario.js';
import type { Behaviour, Stage, StageAnswer } from './stage.js';

interface Arrangement {
  /** In the metadata of the authorization server, in place of its own name. */
  readonly issuer?: (own: string) => string;
  /** In the metadata of the resource, in place of its own. */
  readonly resource?: (own: string) => string;
  /** The issuer that the redirect names; undefined leaves it out. */
  readonly iss?: (own: string) => string | undefined;
  /** Asked for with 403 at every tools/call that lacks it. */
  readonly moreScope?: string;
  /** A second authorization server that takes over after the first login. */
  readonly moves?: boolean;
}

const SCOPE = 'stage:read';

function protectedServer(arrangement: Arrangement = {}): Behaviour {
  const usual = actor();
  const { issuer = same, resource = same, iss = same, moreScope, moves = false } = arrangement;
  let granted = '';
  let served = 0;
  return (heard, stage) => {
    const { path, headers } = heard;
    const { origin } = stage;
    const current = moves && served > 0 ? 'as2' : 'as';
    if (path.startsWith('/metadata/here'))
      return json({
        resource: resource(`${origin}/mcp`),
        authorization_servers: [`${origin}/${current}`],
        scopes_supported: [SCOPE],
      });
    const place = /^\/(?:\.well-known\/oauth-authorization-server\/)?(as2?)(?:\/(\w+))?/.exec(path);
    if (place !== null) {
      const own = `${origin}/${place[1]}`;
      switch (place[2]) {
        case 'register':
          return json({ ...(heard.message ?? {}), client_id: `client-of-${place[1]}` }, 201);
        case 'authorize':
          granted = new URL(path, origin).searchParams.get('scope') ?? '';
          return redirect(path, origin, iss(own));
        case 'token':
          return json({
            access_token: `stage-token-of-${place[1]}`,
            token_type: 'Bearer',
            expires_in: 3600,
            scope: granted,
          });
        default:
          return path.startsWith('/.well-known') ? json(metadata(own, issuer(own))) : { status: 404 };
      }
    }
    if (path.startsWith('/.well-known')) return { status: 404 };
    const challenge = (status: number, more: string): StageAnswer => ({
      status,
      headers: { 'www-authenticate': `Bearer ${more}resource_metadata="${origin}/metadata/here"` },
    });
    if (headers.authorization !== `Bearer stage-token-of-${current}`)
      return challenge(401, `scope="${SCOPE}", `);
    if (moreScope !== undefined && methodOf(heard) === 'tools/call')
      return challenge(403, `error="insufficient_scope", scope="${moreScope}", `);
    if (methodOf(heard) === 'tools/list') served += 1;
    return usual(heard, stage);
  };
}

function same(own: string): string {
  return own;
}

function json(body: JsonObject, status = 200): StageAnswer {
  return { status, body };
}

function metadata(own: string, issuer: string): JsonObject {
  return {
    issuer,
    authorization_endpoint: `${own}/authorize`,
    token_endpoint: `${own}/token`,
    registration_endpoint: `${own}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [SCOPE],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  };
}

function redirect(path: string, origin: string, iss: string | undefined): StageAnswer {
  const query = new URL(path, origin).searchParams;
  const target = query.get('redirect_uri') ?? '';
  if (!URL.canParse(target)) return { status: 400 };
  const location = new URL(target);
  location.searchParams.set('code', 'stage-code');
  if (iss !== undefined) location.searchParams.set('iss', iss);
  const state = query.get('state');
  if (state !== null) location.searchParams.set('state', state);
  return { status: 302, headers: { location: location.href } };
}

/** The metadata is wrong: the client must not start a login there. */
const refusing = (name: string, revision: number, ids: string, arrangement: Arrangement): Scenario => ({
  name,
  revision,
  ids,
  behaviour: () => protectedServer(arrangement),
  judge: (stage, judge) => {
    // A client that never read the metadata has shown nothing.
    if (sentTo(stage, '/metadata/here').length === 0) return;
    const [authorized] = sentTo(stage, '/as/authorize');
    judge.judge(
      ids,
      authorized === undefined,
      'The login went on with metadata that do not fit',
      'it stops',
      authorized?.path ?? '',
    );
  },
});

/** The answer names another issuer: its code may not be redeemed. */
const mixedUp = (name: string, iss: Arrangement['iss']): Scenario => ({
  name,
  revision: 5,
  ids: '373',
  behaviour: () => protectedServer(iss === undefined ? {} : { iss }),
  judge: (stage, judge) => {
    if (sentTo(stage, '/as/authorize').length === 0) return;
    const [token] = sentTo(stage, '/as/token');
    judge.judge(
      '373',
      token === undefined,
      'A code was redeemed although iss does not fit',
      'it stops',
      token?.text ?? '',
    );
  },
});

/** Of the second revision: no metadata anywhere, so that the endpoints have their default places. */
function withoutMetadata(): Behaviour {
  const usual = actor();
  return (heard, stage) => {
    const { path, headers } = heard;
    if (path.startsWith('/register')) return json({ ...(heard.message ?? {}), client_id: 'client' }, 201);
    if (path.startsWith('/authorize')) return redirect(path, stage.origin, undefined);
    if (path.startsWith('/token')) return json({ access_token: 'stage-token', token_type: 'Bearer' });
    if (!path.startsWith('/mcp')) return { status: 404 };
    return headers.authorization === 'Bearer stage-token' ? usual(heard, stage) : { status: 401 };
  };
}

function judgeMoved(stage: Stage, judge: Parameters<Scenario['judge']>[1]): void {
  const second = stage.heard.filter(({ path }) => /^\/as2\/(authorize|token)/.test(path));
  for (const { path, text } of second) {
    judge.judge(
      '372',
      !`${path} ${text}`.includes('client-of-as&') && !/client-of-as(?!2)/.test(`${path} ${text}`),
      'The client id of one authorization server was shown to another',
      'a registration at the new one',
      `${path} ${text}`,
    );
  }
}

export const AUTHORIZATION_SCENARIOS: readonly Scenario[] = [
  {
    name: 'authorization',
    revision: 5,
    ids: '358 360 362 366 367 368 370 371 375 378 379 381',
    behaviour: () => protectedServer(),
    judge: judgeAuthorization,
  },
  refusing('another-issuer', 5, '364', { issuer: (own) => `${own}/other` }),
  refusing('another-resource', 4, '365', { resource: () => 'https://example.com/mcp' }),
  mixedUp('iss-of-another', () => 'https://example.com'),
  mixedUp('iss-missing', () => undefined),
  mixedUp('iss-with-slash', (own) => `${own}/`),
  {
    name: 'more-scope',
    revision: 5,
    ids: '376 377',
    trigger: 'call a tool',
    behaviour: () => protectedServer({ moreScope: 'stage:write' }),
    judge: judgeStepUp,
  },
  {
    name: 'new-issuer',
    revision: 5,
    ids: '372',
    trigger: 'list the tools, then do something else',
    behaviour: () => protectedServer({ moves: true }),
    judge: judgeMoved,
  },
  {
    name: 'no-metadata',
    revision: 2,
    ids: '363 411',
    behaviour: withoutMetadata,
    judge: (stage, judge) => {
      const asked = stage.heard.filter(({ path }) => path.startsWith('/.well-known'));
      // A client without authorization gives up here, which it may.
      if (asked.length === 0) return;
      const silent = asked.find(
        ({ headers, path }) => path.includes('authorization-server') && headers[VERSION_HEADER] === undefined,
      );
      judge.judge(
        '411',
        silent === undefined,
        `${silent?.path} was asked for without ${VERSION_HEADER}`,
        VERSION_HEADER,
        silent?.path ?? '',
      );
      const root = asked.some(({ path }) => path === '/.well-known/oauth-authorization-server');
      const used = stage.heard.some(({ path }) => /^\/(register|authorize)/.test(path));
      // One that looked and then waits for a person to log in has shown the first half, and nothing wrong.
      if (root && !used) return;
      judge.judge(
        '363',
        root,
        `Asked for: ${asked.map(({ path }) => path).join(', ')}`,
        'metadata at the origin, then /authorize, /token and /register there',
        '',
      );
    },
  },
  {
    name: 'authorization-without-challenge',
    revision: 5,
    ids: '361',
    behaviour: () => () => ({ status: 401 }),
    judge: (stage, judge) => {
      const asked = stage.heard
        .map(({ path }) => path)
        .filter((path) => path.includes('oauth-protected-resource'));
      if (asked.length === 0) return;
      judge.judge(
        '361',
        asked[0] === '/.well-known/oauth-protected-resource/mcp' &&
          asked.includes('/.well-known/oauth-protected-resource'),
        asked.join(', '),
        'the path first, then the root',
        '',
      );
    },
  },
];
