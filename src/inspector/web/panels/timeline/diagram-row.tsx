/** One message of the sequence diagram: an arrow from lane to lane. */

import type { Hop, MessageSummary } from '../../../api.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { kindTone, messageTitle } from './message-words.js';

/** Where the lanes are, in percent: client or inspector, chain, server. */
const LANES = { client: 8, chain: 50, server: 92 } as const;

const ENDS: Readonly<Record<Hop, readonly [number, number]>> = {
  direct: [LANES.client, LANES.server],
  client: [LANES.client, LANES.chain],
  upstream: [LANES.chain, LANES.server],
};

export function DiagramHead() {
  return (
    <div className="diagram-head small" aria-hidden="true">
      <span className="diagram-time" />
      <div className="diagram-lanes">
        <span style={{ left: `${LANES.client}%` }}>client</span>
        <span style={{ left: `${LANES.chain}%` }}>chain</span>
        <span style={{ left: `${LANES.server}%` }}>server</span>
      </div>
    </div>
  );
}

export function DiagramRow({ message }: { message: MessageSummary }) {
  const [left, right] = ENDS[message.hop];
  const out = message.direction === 'to-server';
  const duration = message.durationMs === undefined || out ? '' : ` ${formatDuration(message.durationMs)}`;
  return (
    <div className="diagram-row">
      <span className="mono small soft diagram-time">{formatTime(message.at)}</span>
      <div className="diagram-lanes">
        {Object.values(LANES).map((lane) => (
          <span key={lane} className="diagram-line" style={{ left: `${lane}%` }} />
        ))}
        <div
          className="diagram-arrow"
          data-out={out}
          data-tone={kindTone(message)}
          data-dashed={message.kind === 'result' || message.kind === 'error'}
          style={{ left: `${left}%`, width: `${right - left}%` }}
        >
          <span className="diagram-label small ellipsis">
            {messageTitle(message)}
            {message.subject && ` ${message.subject}`}
            {message.round !== undefined && ` (round ${message.round})`}
            <span className="soft">{duration}</span>
          </span>
        </div>
        <span className="visually-hidden">{out ? 'to the server' : 'from the server'}</span>
      </div>
    </div>
  );
}
