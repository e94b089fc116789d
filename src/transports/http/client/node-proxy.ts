/** HTTP proxies from the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`), as curl and Go read it. */

import { type AgentOptions, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { TransportError } from '../../errors.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Connected = (error: Error | null, stream: Duplex) => void;

/** The proxy for requests to this URL; undefined where they go straight to it. */
export function proxyFor(url: URL, environment: Environment = process.env): URL | undefined {
  const scheme = url.protocol.replace(':', '');
  const given = variable(environment, `${scheme}_proxy`) ?? variable(environment, 'all_proxy');
  if (given === undefined || isLoopback(url.hostname) || isExcluded(url, variable(environment, 'no_proxy')))
    return undefined;
  const text = given.includes('://') ? given : `http://${given}`;
  if (!URL.canParse(text)) throw unusable(given, 'it is not a URL');
  const proxy = new URL(text);
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
    throw unusable(proxy.protocol, 'only proxies with http:// and https:// are supported');
  return proxy;
}

/** Credentials of the proxy, as one header. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Reaches https servers through a tunnel of the proxy: it sees the name of the server, and nothing of the messages. */
export class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: AgentOptions = {}) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: { host?: string | null; port?: number | string | null; servername?: string },
    connected?: Connected,
  ): undefined {
    const host = String(options.host);
    const target = `${host.includes(':') ? `[${host}]` : host}:${options.port ?? 443}`;
    const { protocol, hostname, port } = this.#proxy;
    const secure = protocol === 'https:';
    const request = (secure ? requestHttps : requestHttp)({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (secure ? 443 : 80) : port,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxyHeaders(this.#proxy) },
      agent: false,
    });
    const fail = (reason: string): void => connected?.(unusable(this.#proxy.host, reason), new Socket());
    request.once('error', (error) => fail(error.message));
    request.once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        fail(`it refuses a tunnel to ${target} (HTTP ${statusCode})`);
        return;
      }
      const servername = options.servername ?? host;
      const stream = connectTls({ socket, servername, ALPNProtocols: ['http/1.1'] });
      stream.once('error', (error) => connected?.(error, stream));
      stream.once('secureConnect', () => {
        stream.removeAllListeners('error');
        connected?.(null, stream);
      });
    });
    request.end();
    return undefined;
  }
}

/** Keeps connections to a proxy that is asked for http URLs by their whole address. */
export function createForwardAgent(proxy: URL, options: AgentOptions): HttpAgent {
  return proxy.protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
}

function variable(environment: Environment, name: string): string | undefined {
  return environment[name] || environment[name.toUpperCase()] || undefined;
}

/** `*`, hosts, `.domain`, `domain` (with what is below it), each with or without a port. */
function isExcluded({ hostname, port, protocol }: URL, list: string | undefined): boolean {
  const own = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (list ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', only] = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (only !== undefined && only !== own) return false;
      const domain = name.replace(/^\*?\./, '');
      return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
    });
}

/** Nothing on this machine is reached through another one. */
function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname);
}

function unusable(proxy: string, reason: string): TransportError {
  return new TransportError(
    'network',
    `The proxy ${proxy} of the environment cannot be used: ${reason}; check HTTPS_PROXY and NO_PROXY`,
  );
}
