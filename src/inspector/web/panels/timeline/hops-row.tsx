/** One message of a chain's traffic, on the side where it was seen. */

import type { MessageSummary } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { kindTone, kindWord, messageTitle } from './message-words.js';

export function HopsHead() {
  return (
    <div className="hops-row hops-head small soft" aria-hidden="true">
      <span className="diagram-time" />
      <span>client and chain</span>
      <span>chain and server</span>
    </div>
  );
}

export function HopsRow({ message }: { message: MessageSummary }) {
  const cell = (
    <span className="hops-cell">
      <span aria-hidden="true">{message.direction === 'to-server' ? '→' : '←'}</span>
      <span className="mono ellipsis grow">
        {messageTitle(message)} <span className="soft">{message.subject}</span>
        {message.upstream && <span className="soft"> at {message.upstream}</span>}
      </span>
      <Badge tone={kindTone(message)}>{kindWord(message)}</Badge>
      <span className="mono small soft">
        {message.durationMs === undefined ? '' : formatDuration(message.durationMs)}
      </span>
    </span>
  );
  return (
    <div className="hops-row">
      <span className="mono small soft diagram-time">{formatTime(message.at)}</span>
      {message.hop === 'client' ? cell : <span />}
      {message.hop === 'client' ? <span /> : cell}
    </div>
  );
}
