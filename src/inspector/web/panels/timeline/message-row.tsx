import type { MessageSummary } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { Icon } from '../../components/icon.js';
import { useServerName } from '../../state/server-name.js';
import { kindTone, kindWord, messageTitle } from './message-words.js';
import { usePinned } from './pins.js';

export function MessageRow({ message }: { message: MessageSummary }) {
  const inner = message.group !== message.seq;
  const pinned = usePinned(message.seq);
  return (
    <div className="message-row" data-failed={message.failed} data-inner={inner}>
      <span className="mono small soft message-time">{formatTime(message.at)}</span>
      <Direction message={message} />
      <span className="message-what ellipsis">
        {inner && <span className="message-branch" aria-hidden="true" />}
        <span className="mono">{messageTitle(message)}</span>
        {message.subject && <span className="soft"> {message.subject}</span>}
      </span>
      <span className="message-badges">
        {pinned && <Icon name="pin" size={13} />}
        {message.round !== undefined && <Badge tone="warn">round {message.round}</Badge>}
        {message.http?.streamed && <Badge>event</Badge>}
        <Badge tone={kindTone(message)}>{message.asksForInput ? 'asks' : kindWord(message)}</Badge>
      </span>
      <ServerName message={message} />
      <span className="mono small soft message-duration">
        {message.durationMs === undefined ? '' : formatDuration(message.durationMs)}
      </span>
    </div>
  );
}

function Direction({ message }: { message: MessageSummary }) {
  const out = message.direction === 'to-server';
  return (
    <span className="message-direction" data-out={out}>
      <span aria-hidden="true">{out ? '→' : '←'}</span>
      <span className="visually-hidden">{out ? 'to the server' : 'from the server'}</span>
    </span>
  );
}

function ServerName({ message }: { message: MessageSummary }) {
  const name = useServerName(message.server);
  const hop = message.hop === 'direct' ? '' : ` ${message.hop}`;
  return (
    <span className="small soft ellipsis message-server">
      {name}
      {hop}
    </span>
  );
}
