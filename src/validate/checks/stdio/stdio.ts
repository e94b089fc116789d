/** The pipe itself: encoding, large messages, and the end of input. */

import { type Check, check, OVER_STDIO, ownCheck } from '../../check.js';
import { LineConnection } from '../../wire/line-pipe.js';
import { cheapMethod } from '../expect.js';

const EXIT_MS = 4_000;
/** White space around JSON is part of JSON, and several messages may arrive at once. */
const FRAMES: readonly (readonly [string, (text: string) => string])[] = [
  ['A message that ends with a carriage return', (text) => `${text}\r\n`],
  ['A message with spaces around it', (text) => `  ${text} \t\n`],
  ['A message after an empty line', (text) => `\n${text}\n`],
];

export const stdioChecks: readonly Check[] = [
  check(
    '033',
    async (probe) => {
      const session = await probe.session();
      const { connection } = session;
      if (!(connection instanceof LineConnection)) return;
      const id = `Zażółć-你好-🎉-${session.nextId()}`;
      const text = JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: cheapMethod(probe),
        params: session.complete({}),
      });
      const bytes = Buffer.from(`${text}\n`);
      // Cut inside the emoji: each half alone is no UTF-8.
      const cut = bytes.indexOf(0xf0) + 2;
      const answer = session.waitFor((message) => message.id === id, probe.settings.timeoutMs);
      await connection.sendBytes(bytes.subarray(0, cut), text);
      await session.quiet(20);
      await connection.sendBytes(bytes.subarray(cut));
      const entry = await answer;
      probe.judge(
        '033',
        entry !== undefined,
        'Non-ASCII text did not come back unchanged',
        `"id": ${JSON.stringify(id)}`,
        {
          sent: text,
          received: entry?.text ?? '(nothing with that id)',
          timed: true,
        },
      );
    },
    OVER_STDIO,
  ),
  check(
    '037',
    async (probe) => {
      const session = await probe.session();
      const reply = await session.request(cheapMethod(probe), { plumbPadding: 'x'.repeat(1024 * 1024) });
      const sent = `${reply.sent.slice(0, 200)}... (1 MiB)`;
      probe.judge('037', reply.kind !== 'silence', 'A message of 1 MiB was not answered', 'an answer', {
        sent,
        received: reply.received,
        kind: reply.kind,
      });
    },
    OVER_STDIO,
  ),
  check(
    '409',
    async (probe) => {
      const session = await probe.session();
      const { connection } = session;
      if (!(connection instanceof LineConnection)) return;
      for (const [what, frame] of FRAMES) {
        const id = session.nextId();
        const message = { jsonrpc: '2.0', id, method: cheapMethod(probe), params: session.complete({}) };
        const text = JSON.stringify(message);
        const answer = session.waitFor((given) => given.id === id, probe.settings.timeoutMs);
        await connection.sendBytes(Buffer.from(frame(text)), text);
        const entry = await answer;
        probe.judge('409', entry !== undefined, `${what} was not answered`, 'an answer', {
          sent: JSON.stringify(frame(text)).slice(0, 300),
          received: entry?.text ?? '(nothing)',
          timed: true,
        });
      }
    },
    OVER_STDIO,
  ),
  ownCheck(
    '035',
    async (probe) => {
      const { session } = await probe.open();
      const { connection } = session;
      const ended = session.waitFor(() => false, probe.patient(EXIT_MS));
      connection.endInput();
      await ended;
      probe.judge(
        '035',
        connection.ended,
        `The server still runs ${EXIT_MS / 1000} s after its input ended`,
        'it exits',
        {
          sent: '(end of input)',
          received: connection.epitaph || '(still running)',
          timed: true,
        },
      );
    },
    OVER_STDIO,
  ),
];
