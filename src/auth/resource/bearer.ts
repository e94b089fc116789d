/**
 * A resource server (OAuth 2.1): every request brings an access token in its `Authorization` header, and every one
 * is verified. A session id is no credential, and a token in the query string is none either.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../protocol/authorization.js';
import { missingScopes } from '../../protocol/authorization.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import type {
  HttpAuth,
  HttpCaller,
  HttpRequest,
  Unauthenticated,
} from '../../transports/http/server/exchange.js';
import { isLoopback } from '../address.js';
import { bearerChallenge, type ChallengeParameters } from './challenge.js';
import { createIntrospection, type IntrospectionOptions } from './introspection.js';
import { createJwtVerifier } from './jwt.js';
import { metadataDocument, metadataPaths, metadataUrl } from './protected-resource.js';
import { TokenRejected, type VerifyToken } from './verifier.js';

export interface BearerOptions {
  /** The authorization servers whose tokens are accepted, exactly as they write their own `issuer`. */
  readonly issuer: string | readonly string[];
  /** What tokens for this server have in `aud`; usually its URL. */
  readonly audience: string | readonly string[];
  /** The URL that clients connect to. Default: the first audience. */
  readonly resource?: string | undefined;
  /** Needed for every request. */
  readonly requiredScopes?: readonly string[] | undefined;
  /** Published as `scopes_supported`. Default: `requiredScopes`. Keep it small: clients ask for all of it. */
  readonly scopesSupported?: readonly string[] | undefined;
  /** The name of the server, for people. Published in its metadata. */
  readonly resourceName?: string | undefined;
  /** A page for developers. Published in its metadata. */
  readonly resourceDocumentation?: string | undefined;
  /** Where the keys of the issuer are, if its metadata is not to be asked. */
  readonly jwksUri?: string | undefined;
  /** Asks the authorization server about each token, for tokens that are no JWTs. */
  readonly introspection?: IntrospectionOptions | undefined;
  /** Your own check of a token; resolves with its claims, or throws. `iss` and `aud` are then yours to judge. */
  readonly verify?: ((token: string) => Promise<JsonObject>) | undefined;
  /** How much clocks may differ: `'30s'`, or a number of milliseconds. Default: 30 s. */
  readonly clockTolerance?: Duration | undefined;
  /** Whether `tools/list` leaves out what the caller may not call. Default: `all`. */
  readonly listTools?: 'all' | 'permitted' | undefined;
}

const CREDENTIALS = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** Protects a server with access tokens: `http({ auth: bearer({ issuer, audience }) })`. */
export function bearer(options: BearerOptions): HttpAuth {
  const issuers = [options.issuer].flat();
  for (const issuer of issuers) assertIssuer(issuer);
  if (options.jwksUri !== undefined && issuers.length > 1) {
    throw new TypeError(
      '"jwksUri" is for one issuer: with the keys of one, tokens of another could be forged',
    );
  }
  const audiences = [options.audience].flat();
  const resource = resourceUrl(options.resource ?? audiences[0]);
  const { requiredScopes = [] } = options;
  const clockTolerance = milliseconds(options.clockTolerance ?? 30_000) / 1000;
  const expected = { issuers, audiences, clockTolerance };
  const verify: VerifyToken =
    options.verify ??
    (options.introspection === undefined
      ? createJwtVerifier({ ...expected, jwksUri: options.jwksUri })
      : createIntrospection(options.introspection, expected));
  const resource_metadata = metadataUrl(resource);
  const guidance: ChallengeParameters =
    requiredScopes.length === 0
      ? { resource_metadata }
      : { scope: requiredScopes.join(' '), resource_metadata };

  const refuse = (status: 401 | 403, message: string, parameters: ChallengeParameters): Unauthenticated => ({
    status,
    message,
    headers: { 'WWW-Authenticate': bearerChallenge({ ...parameters }) },
  });

  const forbid = (needed: readonly string[]): Unauthenticated =>
    refuse(403, `This needs the scopes: ${needed.join(' ')}; authorize again with them`, {
      error: 'insufficient_scope',
      error_description: 'The token lacks scopes that this needs',
      scope: needed.join(' '),
      resource_metadata,
    });

  const authenticate = async (request: HttpRequest): Promise<HttpCaller | Unauthenticated> => {
    const header = request.header('authorization');
    const token = header === undefined ? undefined : CREDENTIALS.exec(header)?.[1];
    if (token === undefined) {
      return refuse(401, 'This server needs an access token in the Authorization header', guidance);
    }
    const reject = (reason: string): Unauthenticated => {
      const description = `The access token was refused: ${reason}`;
      return refuse(401, description, {
        error: 'invalid_token',
        error_description: description,
        ...guidance,
      });
    };
    let claims: unknown;
    try {
      claims = await verify(token);
    } catch (error) {
      if (!(error instanceof TokenRejected) && options.verify === undefined) throw error;
      return reject(error instanceof TokenRejected ? error.message : 'it is not valid');
    }
    // A verifier of the author that returns nothing has not said yes.
    if (!isRecord(claims)) return reject('it is not valid');
    const flaw = flawOf(claims);
    if (flaw !== undefined) return reject(flaw);
    const auth = authInfo(claims, issuers[0] ?? '', options.listTools === 'permitted');
    if (missingScopes(auth, requiredScopes).length > 0) return forbid(requiredScopes);
    return { principal: principalOf(auth), auth };
  };

  const document = metadataDocument({
    resource: canonical(resource),
    authorizationServers: issuers,
    scopesSupported: options.scopesSupported ?? (requiredScopes.length > 0 ? requiredScopes : undefined),
    resourceName: options.resourceName,
    resourceDocumentation: options.resourceDocumentation,
  });

  return {
    authenticate,
    forbid,
    documents: (path) => new Map(metadataPaths(resource, path).map((place) => [place, document])),
  };
}

function authInfo(claims: JsonObject, defaultIssuer: string, listsPermittedOnly: boolean): AuthInfo {
  const { iss, sub, client_id, azp } = claims;
  return {
    issuer: text(iss) ?? defaultIssuer,
    subject: text(sub),
    clientId: text(client_id) ?? text(azp),
    scopes: scopesOf(claims),
    claims,
    ...(listsPermittedOnly ? { listsPermittedOnly } : {}),
  };
}

/** What is wrong with claims that were verified. A subject is a text (RFC 7519, 4.1.2), and so are the others. */
function flawOf(claims: JsonObject): string | undefined {
  // A token bound to a key proves nothing without the proof (RFC 9449, 7.2): a thief could use it.
  if (claims.cnf !== undefined) return 'it is bound to a key, and came without a proof';
  for (const name of ['iss', 'sub', 'client_id', 'azp'])
    if (claims[name] !== undefined && typeof claims[name] !== 'string')
      return `its "${name}" claim is not valid`;
  const named = text(claims.sub) ?? text(claims.client_id) ?? text(claims.azp);
  return named === undefined
    ? 'it names neither a subject nor a client; have its issuer add "sub"'
    : undefined;
}

/** `scope` by RFC 9068, `scp` as Microsoft Entra and Okta write it. */
function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  const written = scope ?? scp;
  if (Array.isArray(written)) return written.filter((item) => typeof item === 'string');
  return typeof written === 'string' ? written.split(' ').filter((item) => item !== '') : [];
}

/** Issuers hold no `|` (checked), so that no two callers have the same name. */
function principalOf({ issuer, subject, clientId }: AuthInfo): string {
  return subject === undefined ? `${issuer}|client|${clientId}` : `${issuer}|sub|${subject}`;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** RFC 8414, 2: an https URL without query and fragment. */
function assertIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const fits = url !== undefined && url.search === '' && url.hash === '' && !issuer.includes('|');
  if (!fits || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))) {
    throw new TypeError(
      `Issuer ${JSON.stringify(issuer)} must be an https URL without query and fragment (http on loopback only)`,
    );
  }
}

function resourceUrl(resource: string | undefined): URL {
  if (resource !== undefined && /^https?:\/\//i.test(resource) && URL.canParse(resource))
    return new URL(resource);
  throw new TypeError(
    `"resource" must be the URL that clients connect to, such as https://example.com/mcp (got ${JSON.stringify(resource)})`,
  );
}

/** No trailing slash where there is no path (Authorization, canonical server URI). */
function canonical(url: URL): string {
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}
