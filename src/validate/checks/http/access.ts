/** Who may talk to an HTTP server: Origin, Host, and the address that it listens on. */

import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Check, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { TransportKind } from '../../wire/connection.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../../wire/http-connection.js';
import { SseConnection } from '../../wire/sse-connection.js';
import { cheapMethod } from '../expect.js';

const EVIL = 'http://evil.example.com';
const CONNECT_MS = 500;
const ALL_HTTP: readonly TransportKind[] = ['http', 'sse'];

export const accessChecks: readonly Check[] = [
  ownCheck(
    '194 195',
    async (probe) => {
      for (const origin of origins(probe)) {
        for (const method of probe.transport === 'sse' ? ['GET'] : ['POST', 'GET', 'DELETE']) {
          if (method !== 'POST' && probe.stateless) continue;
          const status = await foreign(probe, method, origin);
          // A method that is not served is refused for every origin.
          if (status === undefined) continue;
          if (method !== 'POST' && status === 405 && (await foreign(probe, method, undefined)) === 405)
            continue;
          const evidence = { sent: `${method} with Origin: ${origin}`, received: `HTTP ${status}` };
          probe.judge(
            '194',
            status >= 400 && status < 500,
            `${method} with the foreign Origin ${origin} was served`,
            'a refusal',
            evidence,
          );
          probe.judge(
            '195',
            status === 403,
            `${method} with the foreign Origin ${origin} was answered with ${status}`,
            '403',
            evidence,
          );
        }
      }
    },
    ALL_HTTP,
  ),
  ownCheck(
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

/** Of another site, and of sites whose names begin or end like ours. */
function origins({ target }: Probe): readonly string[] {
  if (target.kind === 'stdio') return [];
  const { host, hostname } = target.url;
  return [
    EVIL,
    'https://evil.example.com',
    `http://${hostname}.evil.example.com`,
    `http://evil-${host}`,
    // Of a page in a sandbox, or of a file.
    'null',
  ];
}

/** The status of a request that would be served if it were not for its Origin. */
async function foreign(
  probe: Probe,
  method: string,
  origin: string | undefined,
): Promise<number | undefined> {
  if (probe.transport === 'sse') {
    const { session } = await probe.open();
    const { connection } = session;
    if (!(connection instanceof SseConnection)) return undefined;
    const delivery = await connection.http.fetch({ method, headers: { accept: SSE_TYPE, origin } });
    delivery.abort();
    return delivery.status;
  }
  const { session } = await probe.open({ standalone: false });
  const { connection } = session;
  if (!(connection instanceof HttpConnection)) return undefined;
  if (method === 'POST') {
    const reply = await session.request(cheapMethod(probe), {}, { headers: { origin } });
    const first = await opening(probe, connection, origin);
    // Whichever of them is served says more.
    if (reply.kind === 'result') return reply.delivery?.status ?? 200;
    const told = await session.notify('notifications/plumb/unknown', {}, { headers: { origin } });
    told?.abort();
    return told !== undefined && told.status < 300 ? told.status : first;
  }
  const delivery = await connection.fetch({
    method,
    headers: { accept: SSE_TYPE, ...connection.standing, origin },
  });
  delivery.abort();
  return delivery.status;
}

/** The first request of a client. */
async function opening(probe: Probe, http: HttpConnection, origin: string | undefined): Promise<number> {
  const session = probe.shared;
  const method = probe.stateless ? 'server/discover' : 'initialize';
  const params = probe.stateless
    ? session.complete({})
    : { protocolVersion: probe.revision.version, capabilities: {}, clientInfo: session.clientInfo };
  const body = JSON.stringify({ jsonrpc: '2.0', id: session.nextId(), method, params });
  const headers = {
    accept: `${JSON_TYPE}, ${SSE_TYPE}`,
    'content-type': JSON_TYPE,
    ...session.headersFor(method, params),
    origin,
  };
  const delivery = await http.fetch({ method: 'POST', headers, body });
  delivery.abort();
  return delivery.status;
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
