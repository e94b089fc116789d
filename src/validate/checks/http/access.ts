/** Who may talk to an HTTP server: Origin, Host, and the address that it listens on. */

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { encodeHeaderValue } from '../../../protocol/mirrored-headers.js';
import { type Check, check } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { Delivery, TransportKind } from '../../wire/connection.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../../wire/http-connection.js';
import { SseConnection } from '../../wire/sse-connection.js';

const EVIL = 'http://evil.example.com';
const CONNECT_MS = 500;
const ALL_HTTP: readonly TransportKind[] = ['http', 'sse'];

export const accessChecks: readonly Check[] = [
  check(
    '194 195',
    async (probe) => {
      const { session } = await probe.open({ handshake: 'none', standalone: false });
      const { connection } = session;
      const http = connection instanceof SseConnection ? connection.http : connection;
      if (!(http instanceof HttpConnection)) return;
      const delivery = await knock(probe, http, { origin: EVIL });
      const evidence = { sent: `Origin: ${EVIL}`, received: `HTTP ${delivery.status}` };
      delivery.abort();
      probe.judge(
        '194',
        delivery.status >= 400 && delivery.status < 500,
        'A foreign Origin was served',
        'a refusal',
        evidence,
      );
      probe.judge(
        '195',
        delivery.status === 403,
        `A foreign Origin was answered with ${delivery.status}`,
        '403',
        evidence,
      );
    },
    ALL_HTTP,
  ),
  check(
    '196',
    async (probe) => {
      if (probe.target.kind === 'stdio') return;
      const { url } = probe.target;
      const local = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
      if (!local) return probe.skip('196', 'not a local server');
      const outside = Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .find(({ internal, family }) => !internal && family === 'IPv4');
      if (outside === undefined) return probe.skip('196', 'this machine has no other address');
      const reachable = await accepts(outside.address, Number(url.port || 80));
      probe.judge('196', !reachable, `The server also listens on ${outside.address}`, 'loopback only', {
        received: `${outside.address}:${url.port} accepts connections`,
      });
    },
    ALL_HTTP,
  ),
];

/** A request that would be served if it were not for the header. */
async function knock(probe: Probe, http: HttpConnection, headers: Record<string, string>): Promise<Delivery> {
  if (probe.transport === 'sse')
    return http.fetch({ method: 'GET', headers: { accept: SSE_TYPE, ...headers } });
  const session = probe.shared;
  const method = probe.stateless ? 'server/discover' : 'initialize';
  const params = probe.stateless
    ? session.complete({})
    : { protocolVersion: probe.revision.version, capabilities: {}, clientInfo: session.clientInfo };
  const body = JSON.stringify({ jsonrpc: '2.0', id: session.nextId(), method, params });
  const sent = {
    accept: `${JSON_TYPE}, ${SSE_TYPE}`,
    'content-type': JSON_TYPE,
    ...session.headersFor(method, params),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, encodeHeaderValue(value)])),
  };
  return http.fetch({ method: 'POST', headers: sent, body });
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS });
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}
