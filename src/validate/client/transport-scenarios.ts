/** Resuming, the old transport, and authorization. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { actor, methodOf } from './actor.js';
import { calls, type Scenario } from './scenario.js';
import type { Behaviour, Heard, Stage } from './stage.js';

const RETRY_MS = 300;

/** Cuts the stream of the first tools/list, and answers it to whoever resumes. */
function interrupting(): Behaviour {
  const usual = actor();
  let waiting: JsonObject | undefined;
  return (heard, stage) => {
    const id = heard.headers['last-event-id'];
    if (heard.method === 'GET' && id === 'cut-1' && waiting !== undefined) return { events: [waiting] };
    if (methodOf(heard) !== 'tools/list' || waiting !== undefined) return usual(heard, stage);
    const answer = usual(heard, stage);
    waiting = isRecord(answer?.body) ? answer.body : {};
    return { events: [`id: cut-1\nretry: ${RETRY_MS}\ndata: \n\n`], drop: true };
  };
}

/** The two-endpoint transport of the first revision. */
function oldTransport(): Behaviour {
  const usual = actor();
  return (heard, stage) => {
    if (heard.method === 'GET')
      return { events: ['event: endpoint\ndata: /messages?session=1\n\n'], open: true };
    if (heard.path.startsWith('/mcp')) return { status: 405 };
    const answer = usual(heard, stage);
    if (isRecord(answer?.body)) stage.push(answer.body);
    return { status: 202 };
  };
}

const AUTH_IDS = '358 360 362 366 367 368 371 375 378 379';

/** A server behind an authorization server, both on the stage. */
function protectedServer(): Behaviour {
  const usual = actor();
  return (heard, stage) => {
    const { path, headers } = heard;
    const { origin } = stage;
    const json = (body: JsonObject, status = 200) => ({ status, body });
    if (path.startsWith('/metadata/here'))
      return json({
        resource: `${origin}/mcp`,
        authorization_servers: [`${origin}/as`],
        scopes_supported: ['stage:read'],
      });
    if (path === '/.well-known/oauth-authorization-server/as') {
      return json({
        issuer: `${origin}/as`,
        authorization_endpoint: `${origin}/as/authorize`,
        token_endpoint: `${origin}/as/token`,
        registration_endpoint: `${origin}/as/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (path.startsWith('/as/register'))
      return json({ ...(heard.message ?? {}), client_id: 'stage-client' }, 201);
    if (path.startsWith('/as/authorize')) return redirect(path, origin);
    if (path.startsWith('/as/token'))
      return json({
        access_token: 'stage-token',
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'stage:read',
      });
    if (path.startsWith('/.well-known')) return { status: 404 };
    if (headers.authorization === 'Bearer stage-token') return usual(heard, stage);
    return {
      status: 401,
      headers: {
        'www-authenticate': `Bearer resource_metadata="${origin}/metadata/here", scope="stage:read"`,
      },
    };
  };
}

function redirect(path: string, origin: string): { status: number; headers?: Record<string, string> } {
  const query = new URL(path, origin).searchParams;
  const target = query.get('redirect_uri') ?? '';
  if (!URL.canParse(target)) return { status: 400 };
  const location = new URL(target);
  location.searchParams.set('code', 'stage-code');
  location.searchParams.set('iss', `${origin}/as`);
  const state = query.get('state');
  if (state !== null) location.searchParams.set('state', state);
  return { status: 302, headers: { location: location.href } };
}

function judgeAuthorization(stage: Stage, judge: Parameters<Scenario['judge']>[1]): void {
  const at = (start: string): readonly Heard[] => stage.heard.filter(({ path }) => path.startsWith(start));
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
      typeof registered.message?.application_type === 'string',
      'Registration without application_type',
      'application_type',
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
    judge.judge('378', (query.get('state') ?? '').length >= 8, 'No state', 'a random state', authorized.path);
  }
  const [token] = at('/as/token');
  if (token === undefined) return;
  const form = new URLSearchParams(token.text);
  judge.judge(
    '366',
    (form.get('code_verifier') ?? '').length >= 43,
    'The token request has no code_verifier',
    'code_verifier',
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
      later.every(({ headers }) => headers.authorization === 'Bearer stage-token'),
      'A request without the token',
      'Authorization: Bearer on every request',
      later[0]?.text ?? '',
    );
}

/** Without a challenge header the well-known places are tried in order. */
function silentlyProtected(): Behaviour {
  return () => ({ status: 401 });
}

export const TRANSPORT_SCENARIOS: readonly Scenario[] = [
  {
    name: 'resuming',
    revision: 4,
    ids: '223 230 232',
    behaviour: interrupting,
    judge: (stage, judge) => {
      const [cut] = calls(stage, 'tools/list');
      if (cut === undefined) return;
      const resumed = stage.heard.find(
        ({ method, headers }) => method === 'GET' && headers['last-event-id'] === 'cut-1',
      );
      for (const id of ['223', '232'])
        judge.judge(
          id,
          resumed !== undefined,
          'A lost stream was not resumed',
          'GET with Last-Event-ID',
          cut.text,
        );
      if (resumed !== undefined)
        judge.judge(
          '230',
          resumed.at - cut.at >= RETRY_MS * 0.9,
          `The client came back after ${Math.round(resumed.at - cut.at)} ms`,
          `${RETRY_MS} ms, as retry says`,
          '',
        );
    },
  },
  {
    name: 'old-transport',
    revision: 1,
    ids: '192',
    behaviour: oldTransport,
    judge: (stage, judge) => {
      const opened = stage.heard.findIndex(({ method }) => method === 'GET');
      const later =
        opened === -1 ? [] : stage.heard.slice(opened + 1).filter(({ method }) => method === 'POST');
      if (later.length === 0) return;
      const ok = later.every(({ path }) => path.startsWith('/messages'));
      judge.judge('192', ok, `POST to ${later[0]?.path}`, '/messages?session=1', later[0]?.text ?? '');
    },
  },
  {
    name: 'fallback-old-transport',
    revision: 1,
    as: 4,
    ids: '233',
    behaviour: oldTransport,
    judge: (stage, judge) => {
      const [first] = stage.heard;
      if (first === undefined) return;
      const opened = stage.heard.some(({ method }) => method === 'GET');
      judge.judge(
        '233',
        opened,
        'After 405 the old transport was not tried',
        'GET for an endpoint event',
        first.text,
      );
    },
  },
  {
    name: 'authorization',
    revision: 5,
    ids: AUTH_IDS,
    behaviour: protectedServer,
    judge: judgeAuthorization,
  },
  {
    name: 'authorization-without-challenge',
    revision: 5,
    ids: '361',
    behaviour: silentlyProtected,
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
