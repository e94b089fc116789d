/**
 * Logins of the inspector, one for each server behind a URL. A login page opens only on request: a refused
 * connection says that a login is needed, and the page offers it.
 */

import type { Interaction, OAuth, TokenStore } from '../../auth/index.js';
import type { Authorizer } from '../../transports/http/client/authorization.js';
import type { AuthFlow, OAuthSettings, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { CommandError, failureOf } from '../failure.js';
import type { HttpWatcher } from '../recorder/http-exchanges.js';
import type { InspectedTarget } from '../servers/target.js';
import { FlowRecord } from './flow.js';

export interface DeskOptions {
  readonly emit: EventSink;
  /** Where tokens are kept. Default: the user's own file. */
  readonly tokens?: TokenStore | undefined;
}

interface Seat {
  readonly url: URL;
  readonly flow: FlowRecord;
  readonly settings: OAuthSettings;
  oauth: Promise<OAuth> | undefined;
  /** There while a login was asked for. */
  login: AbortController | undefined;
}

export class ServerLogins {
  readonly #options: DeskOptions;
  readonly #seats = new Map<ServerId, Seat>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Prepares for a server; those that bring their own credentials, and programs, need none of this. */
  seat(server: ServerId, target: InspectedTarget, settings: OAuthSettings = {}): void {
    this.leave(server);
    if (target.kind !== 'url' || hasCredentials(target.headers)) return;
    const url = new URL(target.url);
    const flow = new FlowRecord(server, url, (changed) =>
      this.#options.emit({ type: 'auth', flow: changed }),
    );
    this.#seats.set(server, { url, flow, settings, oauth: undefined, login: undefined });
  }

  leave(server: ServerId): void {
    this.#seats.get(server)?.login?.abort();
    this.#seats.delete(server);
  }

  views(): AuthFlow[] {
    return [...this.#seats.values()].map(({ flow }) => flow.view()).filter(({ steps }) => steps.length > 0);
  }

  view(server: ServerId): AuthFlow {
    return this.#seats.get(server)?.flow.view() ?? { server, state: 'none', steps: [] };
  }

  watcher(server: ServerId): HttpWatcher | undefined {
    const seat = this.#seats.get(server);
    return seat === undefined ? undefined : { answered: (exchange) => seat.flow.exchanged(exchange) };
  }

  /** Credentials for the connection; undefined where they are none of our business. */
  async authorizer(server: ServerId): Promise<Authorizer | undefined> {
    const seat = this.#seats.get(server);
    return seat === undefined ? undefined : this.#oauth(seat);
  }

  /** The same as headers, for code that sends its own requests; none without a login. */
  async headers(server: ServerId): Promise<Readonly<Record<string, string>>> {
    const seat = this.#seats.get(server);
    if (seat === undefined) return {};
    const authorization = (await this.#oauth(seat)).forServer(seat.url);
    return authorization.headers({ method: 'POST', url: seat.url, body: undefined });
  }

  /** Resolves when the person has logged in, or has not. The scopes are asked for besides those of before. */
  async login(server: ServerId, scopes: readonly string[] = []): Promise<AuthFlow> {
    const seat = this.#find(server);
    if (seat.login !== undefined)
      throw new CommandError(409, 'login_running', 'A login is under way already');
    seat.login = new AbortController();
    seat.flow.begin();
    const authorization = (await this.#oauth(seat)).forServer(seat.url);
    try {
      await authorization.login(scopes);
      const status = await authorization.status();
      seat.flow.authorized(status?.issuer, status?.scopes);
    } catch (error) {
      // An earlier login goes on where another one is given up.
      const status = await authorization.status().catch(() => undefined);
      if (status === undefined) seat.flow.failed(failureOf(error));
      else seat.flow.authorized(status.issuer, status.scopes, failureOf(error));
    } finally {
      seat.login = undefined;
    }
    return seat.flow.view();
  }

  cancel(server: ServerId): AuthFlow {
    const seat = this.#find(server);
    seat.login?.abort();
    return seat.flow.view();
  }

  async logout(server: ServerId): Promise<AuthFlow> {
    const seat = this.#find(server);
    try {
      await (await this.#oauth(seat)).forServer(seat.url).logout();
      seat.flow.loggedOut();
    } catch (error) {
      const { code, message } = failureOf(error);
      seat.flow.loggedOut({
        code,
        message: `Logged out here, but the authorization server did not revoke the token: ${message}`,
      });
    }
    return seat.flow.view();
  }

  close(): void {
    for (const { login } of this.#seats.values()) login?.abort();
  }

  #find(server: ServerId): Seat {
    const seat = this.#seats.get(server);
    if (seat !== undefined) return seat;
    throw new CommandError(
      400,
      'no_login',
      'Logins are for servers behind a URL that were given no Authorization header',
    );
  }

  #oauth(seat: Seat): Promise<OAuth> {
    seat.oauth ??= this.#create(seat);
    return seat.oauth;
  }

  async #create(seat: Seat): Promise<OAuth> {
    const { oauth, createFileTokenStore } = await import('../../auth/index.js');
    const { clientId, clientSecret, issuer, scopes, resource } = seat.settings;
    const client =
      clientId === undefined
        ? undefined
        : {
            id: clientId,
            issuer: issuer ?? 'discovered',
            ...(clientSecret === undefined ? {} : { secret: clientSecret }),
          };
    return oauth({
      clientName: 'Plumb',
      client,
      resource,
      ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
      store: this.#options.tokens ?? createFileTokenStore(),
      interaction: this.#interaction(seat),
      tap: (send) => (url, init) => {
        const { method, headers, body } = init;
        const request = {
          method,
          headers,
          url: new URL(url),
          body: body === undefined ? undefined : String(body),
        };
        return seat.flow.watch(request, () => send(url, init));
      },
    });
  }

  #interaction(seat: Seat): Interaction {
    return {
      open: async (preferred) => {
        const { AuthError, loopback } = await import('../../auth/index.js');
        const { login } = seat;
        if (login === undefined) {
          throw new AuthError('login_cancelled', 'This server needs you to log in; press "Log in"');
        }
        const show = ({ url, issuer }: { url: URL; issuer: string }): void => {
          // It becomes a link that a person clicks.
          if (!/^https?:$/.test(url.protocol)) {
            throw new AuthError(
              'login_cancelled',
              `The login page has an address that is not opened: ${url.protocol}`,
            );
          }
          seat.flow.waiting(url, issuer);
        };
        const redirect = await loopback({ signal: login.signal, show }).open(preferred);
        return {
          redirectUri: redirect.redirectUri,
          authorize: async (asked) => {
            const callback = await redirect.authorize(asked);
            seat.flow.returned(callback);
            return callback;
          },
          close: (succeeded) => redirect.close?.(succeeded),
        };
      },
    };
  }
}

function hasCredentials(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}
