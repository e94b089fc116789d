/**
 * The tokens of one MCP server: sent with each request, renewed before they end, and replaced when the server refuses
 * them. However many requests are refused at once, one renewal happens, and all of them wait for it.
 */

import type {
  AuthorizationChallenge,
  AuthorizedAnswer,
  AuthorizedRequest,
  HttpAuthorization,
} from '../../transports/http/client/authorization.js';
import { type AuthHttp, type AuthHttpOptions, openAuthHttp } from './auth-http.js';
import { type Discovered, discover, discoverAgain } from './discovery.js';
import { createDpopKey, type DpopKey, openDpopKey } from './dpop.js';
import { AuthError } from './errors.js';
import type { Grant, GrantRequest } from './grant.js';
import { assertSecure } from './network-policy.js';
import { includesAll, parseScopes, selectScopes, unite } from './scopes.js';
import { isStale, readRecord, type TokenRecord, writeRecord } from './token-record.js';
import type { TokenStore } from './token-store.js';
import { type Challenge, tokenChallenge } from './www-authenticate.js';

export interface ServerAuthorizationOptions extends AuthHttpOptions {
  readonly grant: Grant;
  readonly store: TokenStore;
  readonly scopes: readonly string[] | undefined;
  readonly resource?: string | undefined;
  readonly offlineAccess: boolean;
  /** Always, or where the server asks for it. */
  readonly dpop: boolean;
  readonly now: () => number;
  /** Called when a login of the user begins and ends. */
  readonly onAsking: (asking: boolean) => void;
}

/** A refused login is not repeated at once: the requests that waited for it would each ask again. */
const FAILURE_MEMORY_MS = 5_000;
const MAX_ATTEMPTS = 5;
/** Between attempts to renew a token that still works. */
const EARLY_RETRY_MS = 10_000;

type Source = 'store' | 'refresh' | 'grant';

export class ServerAuthorization implements HttpAuthorization {
  readonly #server: URL;
  readonly #options: ServerAuthorizationOptions;
  #http: Promise<AuthHttp> | undefined;
  #loading: Promise<void> | undefined;
  #loaded = false;
  #tokens: TokenRecord | undefined;
  #key: DpopKey | undefined;
  #source: Source = 'store';
  #receivedAt: number | undefined;
  /** When a renewal ahead of time may be tried again. */
  #earlyAt = 0;
  /** Whether the server has taken the current token at least once. */
  #accepted = false;
  #nonce: string | undefined;
  #renewal: Promise<void> | undefined;
  #failure: { readonly error: unknown; readonly until: number } | undefined;

  constructor(server: URL, options: ServerAuthorizationOptions) {
    this.#server = server;
    this.#options = options;
  }

  /** What is known of the current tokens, for display; never the tokens themselves. */
  async status(): Promise<
    { readonly issuer: string; readonly scopes: readonly string[] | undefined } | undefined
  > {
    await this.#load();
    const tokens = this.#tokens;
    return tokens === undefined ? undefined : { issuer: tokens.issuer, scopes: tokens.scopes };
  }

  /** Logs in now, with these scopes besides those of before, whether or not the server has refused anything. */
  async login(scopes: readonly string[] = []): Promise<void> {
    await this.#load();
    await this.#renewOnce(async () => {
      const tokens = this.#tokens;
      const found = await this.#rediscover(tokens, undefined);
      await this.#obtain(found, this.#select(found, tokens, scopes.length === 0 ? undefined : scopes));
    });
  }

  headers(
    request: AuthorizedRequest,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    if (!this.#loaded) return this.#load().then(() => this.headers(request));
    const tokens = this.#tokens;
    // A request to another address is a mistake; it must not carry the token.
    if (tokens === undefined || request.url.origin !== this.#server.origin) return {};
    assertSecure(request.url, 'A server that gets an access token');
    const { now } = this.#options;
    const due = this.#renewal !== undefined || now() >= this.#earlyAt;
    if (due && isStale(tokens, now(), this.#receivedAt) && this.#renewable(tokens)) {
      return this.#renewOnce(() => this.#refreshEarly(tokens)).then(() => this.#write(request));
    }
    return this.#write(request);
  }

  async challenged(challenge: AuthorizationChallenge): Promise<'retry' | 'fail'> {
    const asked = tokenChallenge(challenge.header('www-authenticate'));
    if (challenge.attempt > MAX_ATTEMPTS) return 'fail';
    if (this.#takeNonce(challenge) && asked?.parameters.error === 'use_dpop_nonce') return 'retry';
    if (challenge.status === 403 && asked?.parameters.error !== 'insufficient_scope') return 'fail';
    const refused = tokenOf(challenge.sent);
    if (this.#renewal !== undefined) await this.#renewal;
    // Someone else has renewed it since the request was sent.
    if (this.#tokens !== undefined && this.#tokens.accessToken !== refused) return 'retry';
    const failure = this.#failure;
    if (failure !== undefined && failure.until > this.#options.now()) throw failure.error;
    const known = challenge.status === 403 && this.#tokens !== undefined;
    await this.#renewOnce(() => (known ? this.#stepUp(asked) : this.#replace(asked, refused)));
    return 'retry';
  }

  answered(answer: AuthorizedAnswer): void {
    this.#takeNonce(answer);
    if (this.#accepted || this.#tokens === undefined) return;
    if (tokenOf(answer.sent) === this.#tokens.accessToken) this.#accepted = true;
  }

  /** Forgets the tokens, after telling the authorization server to do the same. True when there were any. */
  async logout(): Promise<boolean> {
    await this.#load();
    const tokens = this.#tokens;
    if (tokens === undefined) return false;
    const { store, grant } = this.#options;
    this.#tokens = undefined;
    await store.set(this.#storeKey, undefined);
    if (grant.revoke !== undefined) {
      const found = await discoverAgain(tokens, await this.#open());
      await grant.revoke(tokens, this.#request(await this.#open(), found, undefined));
    }
    return true;
  }

  get #storeKey(): string {
    return `tokens ${this.#server.origin}${this.#server.pathname}`;
  }

  #open(): Promise<AuthHttp> {
    this.#http ??= openAuthHttp(this.#server, this.#options);
    return this.#http;
  }

  #load(): Promise<void> {
    this.#loading ??= this.#read().then(() => {
      this.#loaded = true;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    const tokens = readRecord(await this.#options.store.get(this.#storeKey));
    if (tokens !== undefined) await this.#use(tokens, 'store');
  }

  async #use(tokens: TokenRecord, source: Source): Promise<void> {
    if (tokens.dpopKey !== undefined && this.#key?.jwk.x !== tokens.dpopKey.x)
      this.#key = await openDpopKey(tokens.dpopKey);
    this.#tokens = tokens;
    this.#source = source;
    this.#accepted = false;
    this.#receivedAt = source === 'store' ? undefined : this.#options.now();
    this.#earlyAt = 0;
    this.#failure = undefined;
  }

  async #keep(tokens: TokenRecord, source: Source): Promise<void> {
    await this.#options.store.set(this.#storeKey, writeRecord(tokens));
    await this.#use(tokens, source);
  }

  #write(
    request: AuthorizedRequest,
  ): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> {
    const tokens = this.#tokens;
    if (tokens === undefined) return {};
    if (tokens.tokenType === 'bearer' || this.#key === undefined)
      return { authorization: `Bearer ${tokens.accessToken}` };
    const { accessToken } = tokens;
    const proof = this.#key.prove({ ...request, accessToken, nonce: this.#nonce });
    return proof.then((dpop) => ({ authorization: `DPoP ${accessToken}`, dpop }));
  }

  /** True when the server gave a nonce that was not known yet. */
  #takeNonce(answer: AuthorizedAnswer): boolean {
    const nonce = answer.header('dpop-nonce');
    if (nonce === undefined || nonce === this.#nonce) return false;
    this.#nonce = nonce;
    return true;
  }

  #renewOnce(work: () => Promise<void>): Promise<void> {
    this.#renewal ??= work()
      .catch((error: unknown) => {
        this.#failure = { error, until: this.#options.now() + FAILURE_MEMORY_MS };
        throw error;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  #renewable(tokens: TokenRecord): boolean {
    const { grant } = this.#options;
    return !grant.interactive || (tokens.refreshToken !== undefined && grant.refresh !== undefined);
  }

  /** Before the server has to refuse. Trouble is left to the refusal: the token may still be good for a while. */
  async #refreshEarly(tokens: TokenRecord): Promise<void> {
    this.#earlyAt = this.#options.now() + EARLY_RETRY_MS;
    try {
      const found = await discoverAgain(tokens, await this.#open());
      if (await this.#refresh(tokens, found)) return;
      if (!this.#options.grant.interactive) await this.#obtain(found, tokens.requested);
      else this.#earlyAt = Number.POSITIVE_INFINITY;
    } catch {
      // The next request tries again, but not each of them.
    }
  }

  /** The server refused the current token, or there is none. */
  async #replace(asked: Challenge | undefined, refused: string | undefined): Promise<void> {
    const tokens = this.#tokens;
    if (tokens !== undefined && this.#source === 'grant' && !this.#accepted) throw this.#rejected(tokens);
    const found = await this.#rediscover(tokens, asked);
    const sameIssuer = tokens !== undefined && tokens.issuer === found.authorizationServer.issuer;
    // A renewed token that is refused as well will not get better by renewing it again.
    const worthRefreshing = sameIssuer && !(this.#source === 'refresh' && !this.#accepted);
    if (worthRefreshing && refused !== undefined && (await this.#refresh(tokens, found))) return;
    await this.#obtain(found, this.#select(found, tokens, parseScopes(asked?.parameters.scope)), asked);
  }

  #select(
    found: Discovered,
    tokens: TokenRecord | undefined,
    challenged: readonly string[] | undefined,
  ): readonly string[] | undefined {
    const { scopes, offlineAccess, grant } = this.#options;
    return selectScopes({
      challenged,
      supported: found.scopesSupported,
      previous: tokens?.issuer === found.authorizationServer.issuer ? tokens.requested : undefined,
      chosen: scopes,
      known: found.authorizationServer.metadata.scopes_supported,
      offlineAccess: offlineAccess && grant.refreshable,
    });
  }

  async #stepUp(asked: Challenge | undefined): Promise<void> {
    const tokens = this.#tokens;
    const needed = parseScopes(asked?.parameters.scope);
    this.#accepted = true;
    if (tokens === undefined || needed === undefined) throw this.#forbidden(needed);
    // Asked for before, and not granted or not enough: asking again would only go round in circles.
    if (includesAll(unite(tokens.requested), needed)) throw this.#forbidden(needed);
    const found = await this.#rediscover(tokens, asked);
    try {
      await this.#obtain(found, unite(tokens.requested, tokens.scopes, needed), asked);
    } catch (error) {
      if (!(error instanceof AuthError) || error.code !== 'login_required') throw error;
      const flags = needed.map((scope) => `--scope ${scope}`).join(' ');
      const message = `${this.#server.origin} requires more permissions; run: plumb login ${this.#server.href} ${flags}`;
      throw new AuthError('login_required', message);
    }
  }

  async #rediscover(tokens: TokenRecord | undefined, asked: Challenge | undefined): Promise<Discovered> {
    const { grant, store } = this.#options;
    const context = { server: this.#server, http: await this.#open(), grant, store };
    return discover(context, asked?.parameters.resource_metadata, tokens);
  }

  /** False when there is nothing to renew with, or the authorization server does not take it any more. */
  async #refresh(tokens: TokenRecord, found: Discovered): Promise<boolean> {
    const { store, grant } = this.#options;
    if (tokens.refreshToken === undefined || grant.refresh === undefined) return false;
    const { refresh } = grant;
    return store.lock(this.#storeKey, async () => {
      const stored = readRecord(await store.get(this.#storeKey));
      if (
        stored !== undefined &&
        stored.accessToken !== tokens.accessToken &&
        stored.issuer === tokens.issuer
      ) {
        // Another process was here first; its token is the good one, and ours may be spent.
        await this.#use(stored, 'refresh');
        return true;
      }
      const current = stored ?? tokens;
      if (current.refreshToken === undefined) return false;
      try {
        const request = this.#request(await this.#open(), found, current.requested);
        await this.#keep(
          await refresh({ ...current, refreshToken: current.refreshToken }, request),
          'refresh',
        );
        return true;
      } catch (error) {
        if (error instanceof AuthError && isFinal(error)) return false;
        throw error;
      }
    });
  }

  async #obtain(found: Discovered, scopes: readonly string[] | undefined, asked?: Challenge): Promise<void> {
    const { grant, onAsking } = this.#options;
    const bound = this.#options.dpop || found.dpopRequired || asked?.scheme === 'dpop';
    if (bound) this.#key ??= await createDpopKey();
    else this.#key = undefined;
    const request = this.#request(await this.#open(), found, scopes);
    if (grant.interactive) onAsking(true);
    try {
      await this.#keep(await grant.obtain(request), 'grant');
    } finally {
      if (grant.interactive) onAsking(false);
    }
  }

  #request(http: AuthHttp, found: Discovered, scopes: readonly string[] | undefined): GrantRequest {
    const { authorizationServer, resource } = found;
    return {
      server: this.#server,
      authorizationServer,
      resource: this.#options.resource ?? resource,
      scopes,
      dpop: this.#key,
      http,
      store: this.#options.store,
    };
  }

  #rejected({ issuer }: TokenRecord): AuthError {
    return new AuthError(
      'token_rejected',
      `${this.#server.origin} does not accept the token that ${issuer} just issued for it; ` +
        'check that both agree on the issuer and the audience (its resource metadata names both)',
    );
  }

  #forbidden(needed: readonly string[] | undefined): AuthError {
    const what =
      needed === undefined ? 'more scopes, and does not say which' : `the scopes ${needed.join(' ')}`;
    return new AuthError(
      'insufficient_scope',
      `${this.#server.origin} requires ${what}, which were not granted; ask your administrator for access, or log in with another account`,
    );
  }
}

/** The refresh token or the registration is of no use any more; everything else may pass. */
function isFinal({ code, oauthError }: AuthError): boolean {
  return code === 'login_required' || oauthError === 'invalid_grant' || oauthError === 'invalid_client';
}

function tokenOf(sent: Readonly<Record<string, string>>): string | undefined {
  return sent.authorization?.split(' ')[1];
}
