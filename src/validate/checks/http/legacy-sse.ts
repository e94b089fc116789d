/** The two-endpoint transport of the first revision. */

import { type Check, check, OVER_SSE } from '../../check.js';
import { SseConnection } from '../../wire/sse-connection.js';

export const legacySseChecks: readonly Check[] = [
  check(
    '191 193',
    async (probe) => {
      const session = await probe.session();
      const { connection } = session;
      if (!(connection instanceof SseConnection)) return;
      const [first, ...others] = connection.http.events;
      const named =
        first?.event === 'endpoint' &&
        first.data !== undefined &&
        URL.canParse(first.data, connection.http.url.href);
      probe.judge('191', named, 'The first event is no endpoint', 'event: endpoint with a URI', {
        received: JSON.stringify(first),
      });
      await session.request('ping');
      const strange = others.find(
        ({ event, data }) => data !== undefined && event !== 'message' && event !== undefined,
      );
      probe.judge(
        '193',
        strange === undefined,
        `A message came as event ${strange?.event}`,
        'event: message',
        { received: JSON.stringify(strange) },
      );
    },
    OVER_SSE,
  ),
];
