/** Sessions of the handshake era: their ids, and requests with none, with an unknown one, and with an ended one. */

import { SESSION_HEADER, VERSION_HEADER } from '../../../protocol/mirrored-headers.js';
import { type Check, OVER_HTTP, ownCheck } from '../../check.js';
import type { Probe } from '../../probe.js';
import type { ValidatorSession } from '../../session/session.js';
import { HttpConnection, SSE_TYPE } from '../../wire/http-connection.js';
import { endOf, statusText } from './deliveries.js';

const NO_SESSIONS = 'the server has no sessions';
/** Ids that are random differ in more places than this. */
const LEAST_DIFFERENCE = 8;

export const sessionChecks: readonly Check[] = [
  ownCheck(
    '210 226',
    async (probe) => {
      const ids: string[] = [];
      for (const _ of [1, 2, 3, 4]) {
        const { greeting } = await probe.open({ standalone: false });
        const id = greeting?.delivery?.headers[SESSION_HEADER];
        if (id !== undefined) ids.push(id);
      }
      if (ids.length === 0) return probe.skipAll('210 226', NO_SESSIONS);
      for (const id of ids)
        probe.judge(
          '210',
          /^[\x21-\x7e]+$/.test(id),
          'A session id with other than visible ASCII',
          '0x21 to 0x7E',
          { received: id },
        );
      probe.judge('226', areRandom(ids), 'Session ids can be guessed', 'long random ids', {
        received: ids.join('\n'),
      });
    },
    OVER_HTTP,
  ),
  ownCheck(
    '212 213 216',
    async (probe) => {
      const { session } = await probe.open({ standalone: false });
      const { connection } = session;
      if (!(connection instanceof HttpConnection) || connection.standing[SESSION_HEADER] === undefined)
        return probe.skipAll('212 213 216', NO_SESSIONS);
      const { standing } = connection;
      for (const method of ['POST', 'GET', 'DELETE']) {
        const status = await statusOf(session, method, { ...standing, [SESSION_HEADER]: undefined });
        // Where a method is not served at all, the session does not matter.
        if (method !== 'POST' && status === 405) continue;
        probe.judge(
          '212',
          status === 400,
          `${method} without the session id: HTTP ${status}`,
          '400',
          sentWith(method, 'no session id', status),
        );
      }
      for (const id of ['plumb-unknown-session', String(standing[SESSION_HEADER]).replace(/.$/, '~')]) {
        for (const method of ['POST', 'GET', 'DELETE']) {
          const status = await statusOf(session, method, { ...standing, [SESSION_HEADER]: id });
          const refused = status === 404 || status === 400 || (method !== 'POST' && status === 405);
          probe.judge(
            '213',
            refused,
            `${method} with an unknown session id: HTTP ${status}`,
            '404',
            sentWith(method, id, status),
          );
        }
      }
      await judgeEnd(probe, session, connection);
    },
    OVER_HTTP,
  ),
  ownCheck(
    '219 220',
    async (probe) => {
      const { session } = await probe.open({ standalone: false });
      for (const version of ['1999-01-01', 'plumb', '']) {
        const bad = await session.request('ping', {}, { headers: { [VERSION_HEADER]: version } });
        // An empty value cannot be told from an absent header everywhere.
        if (version === '' && bad.kind === 'result') continue;
        probe.judge(
          '219',
          bad.delivery?.status === 400,
          `The version header "${version}": HTTP ${bad.delivery?.status}`,
          '400',
          bad,
        );
      }
      const listed = await session.request('tools/list', {}, { headers: { [VERSION_HEADER]: '2099-01-01' } });
      probe.judge(
        '219',
        listed.delivery?.status === 400,
        `tools/list with an unknown version header: HTTP ${listed.delivery?.status}`,
        '400',
        listed,
      );
      const { connection } = session;
      if (connection instanceof HttpConnection) {
        const headers = { ...connection.standing, [VERSION_HEADER]: '1999-01-01' };
        const status = await statusOf(session, 'GET', headers);
        // Where there is no such method at all, the version does not matter.
        const unserved =
          status !== 400 &&
          status !== 200 &&
          (await statusOf(session, 'GET', connection.standing)) === status;
        probe.judge(
          '219',
          status === 400 || unserved,
          `GET with an unknown version header: HTTP ${status}`,
          '400',
          { sent: `GET with ${VERSION_HEADER}: 1999-01-01`, received: `HTTP ${status}` },
        );
      }
      const absent = await session.request('ping', {}, { headers: { [VERSION_HEADER]: undefined } });
      probe.judge('220', absent.kind === 'result', 'Without the version header: refused', 'a result', absent);
    },
    OVER_HTTP,
  ),
];

async function judgeEnd(probe: Probe, session: ValidatorSession, connection: HttpConnection): Promise<void> {
  const { standing } = connection;
  const deleted = await connection.fetch({ method: 'DELETE', headers: { ...standing } });
  await endOf(deleted, probe.patient(2_000));
  const ok = (deleted.status >= 200 && deleted.status < 300) || deleted.status === 405;
  probe.judge('216', ok, `DELETE was answered with ${deleted.status}`, 'a success or 405', {
    sent: 'DELETE',
    received: statusText(deleted),
  });
  if (deleted.status === 405) return;
  for (const method of ['POST', 'GET', 'DELETE']) {
    const status = await statusOf(session, method, { ...standing });
    if (method !== 'POST' && status === 405) continue;
    probe.judge(
      '213',
      status === 404,
      `${method} in a terminated session: HTTP ${status}`,
      '404',
      sentWith(method, 'the id of a terminated session', status),
    );
  }
  const params = { requestId: 'plumb-never-sent' };
  const notice = await session.notify('notifications/cancelled', params, { headers: { ...standing } });
  notice?.abort();
  probe.judge(
    '213',
    notice === undefined || notice.status === 404,
    `A notification in a terminated session: HTTP ${notice?.status}`,
    '404',
    sentWith('POST', 'the id of a terminated session', notice?.status ?? 0),
  );
}

/** A ping, a stream or an end with exactly these headers. */
async function statusOf(
  session: ValidatorSession,
  method: string,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { connection } = session;
  if (!(connection instanceof HttpConnection)) return 0;
  if (method === 'POST') return (await session.request('ping', {}, { headers })).delivery?.status ?? 0;
  const delivery = await connection.fetch({ method, headers: { accept: SSE_TYPE, ...headers } });
  delivery.abort();
  return delivery.status;
}

function sentWith(method: string, id: string, status: number): { sent: string; received: string } {
  return { sent: `${method} with ${SESSION_HEADER}: ${id}`, received: `HTTP ${status}` };
}

/** Long, of many characters, and different from one another in most places. */
function areRandom(ids: readonly string[]): boolean {
  const long = ids.every((id) => id.length >= 16 && new Set(id).size >= 6);
  const apart = ids.every((id, index) =>
    ids.slice(index + 1).every((other) => difference(id, other) >= LEAST_DIFFERENCE),
  );
  return long && apart;
}

function difference(one: string, other: string): number {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, at) => one[at] !== other[at]).filter(Boolean).length;
}
