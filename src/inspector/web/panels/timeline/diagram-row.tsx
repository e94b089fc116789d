/** One message of the sequence diagram: an arrow from lane to lane. */

import type { Hop, MessageSummary } from '../../../api.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { useInspector } from '../../state/inspector.js';
import { kindTone, messageTitle } from './message-words.js';

/** Where the lanes are, in percent. */
const LANES = { client: 8, chain: 50, server: 92 } as const;
type Lane = keyof typeof LANES;

const ENDS: Readonly<Record<Hop, readonly [number, number]>> = {
  direct: [LANES.client, LANES.server],
  client: [LANES.client, LANES.chain],
  upstream: [LANES.chain, LANES.server],
};

/** A chain has a lane where there is one. */
function useLanes(): readonly Lane[] {
  const chained = useInspector((state) => state.chains.length > 0);
  return chained ? CHAINED : DIRECT;
}

const CHAINED: readonly Lane[] = ['client', 'chain', 'server'];
const DIRECT: readonly Lane[] = ['client', 'server'];

export function DiagramHead() {
  const lanes = useLanes();
  return (
    <div className="diagram-head small" aria-hidden="true">
      <span className="diagram-time" />
      <div className="diagram-lanes">
        {lanes.map((lane) => (
          <span key={lane} style={{ left: `${LANES[lane]}%` }}>
            {lane}
          </span>
        ))}
      </div>
    </div>
  );
}

export function DiagramRow({ message }: { message: MessageSummary }) {
  const lanes = useLanes();
  const [left, right] = ENDS[message.hop];
  const out = message.direction === 'to-server';
  const duration = message.durationMs === undefined || out ? '' : ` ${formatDuration(message.durationMs)}`;
  return (
    <div className="diagram-row">
      <span className="mono small soft diagram-time">{formatTime(message.at)}</span>
      <div className="diagram-lanes">
        {lanes.map((lane) => (
          <span key={lane} className="diagram-line" style={{ left: `${LANES[lane]}%` }} />
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
