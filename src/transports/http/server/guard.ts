/**
 * Who may talk to an HTTP endpoint from a browser: Host and Origin checks.
 *
 * A page on any site can send requests to localhost, and with DNS rebinding also read the answers. The Host
 * header gives such a request away, because it names the attacker's host; so does a foreign Origin.
 */

import type { HttpRequest } from './exchange.js';

export interface GuardOptions {
  /** Host names (`example.com`, or `example.com:8443` for one port) besides loopback ones. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages (`https://app.example.com`) that may call from a browser. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export interface Guard {
  /** Why the request is refused; undefined when it may pass. */
  refusal(request: HttpRequest): string | undefined;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function createGuard(options: GuardOptions): Guard {
  const hosts = new Set((options.allowedHosts ?? []).map((host) => host.toLowerCase()));
  const origins = originsOf(options);
  const verdicts = new VerdictCache();

  const refusal = (host: string | undefined, origin: string | undefined): string | undefined => {
    if (host === undefined || !allowsHost(host.toLowerCase(), hosts)) {
      return `Host ${quote(host)} is not allowed here; allow it with allowedHosts (--allow-host of plumb)`;
    }
    if (origin === undefined || origins.has(origin) || isSameOrigin(origin, host)) return undefined;
    return `Origin ${quote(origin)} is not allowed here; allow it with allowedOrigins (--allow-origin of plumb)`;
  };

  return {
    refusal: (request) => {
      const host = request.header('host');
      const origin = request.header('origin');
      // No header holds a newline, so no other pair of headers has this key.
      const key = origin === undefined ? `${host}` : `${host}\n${origin}`;
      return verdicts.get(key, () => refusal(host, origin));
    },
  };
}

/** The configured origins. Throws for what is none. */
export function originsOf({ allowedOrigins = [] }: GuardOptions): ReadonlySet<string> {
  return new Set(allowedOrigins.map(normaliseOrigin));
}

function allowsHost(host: string, hosts: ReadonlySet<string>): boolean {
  const name = host.replace(/:\d+$/, '');
  return LOOPBACK.has(name) || hosts.has(host) || hosts.has(name);
}

/** A page served by this very host may call it. */
function isSameOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

function normaliseOrigin(origin: string): string {
  const normal = URL.canParse(origin) ? new URL(origin).origin : 'null';
  // Every sandboxed page and local file has the origin "null"; it identifies no site.
  if (normal === 'null')
    throw new TypeError(`Allowed origin "${origin}" is not an origin such as https://app.example.com`);
  return normal;
}

function quote(value: string | undefined): string {
  return value === undefined ? '(none)' : JSON.stringify(value.slice(0, 200));
}

/** The same few hosts and origins come again and again; remember what was decided for them. */
class VerdictCache {
  readonly #verdicts = new Map<string, string | undefined>();

  get(key: string, decide: () => string | undefined): string | undefined {
    if (this.#verdicts.has(key)) return this.#verdicts.get(key);
    const verdict = decide();
    if (this.#verdicts.size >= 1000) this.#verdicts.clear();
    this.#verdicts.set(key, verdict);
    return verdict;
  }
}
