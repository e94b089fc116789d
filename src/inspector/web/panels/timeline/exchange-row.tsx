/** One exchange in a line: what was asked, how it ended, how long it took; below it what happened meanwhile. */

import type { TimelineRow } from '../../../api.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { Icon } from '../../components/icon.js';
import { useServerName } from '../../state/server-name.js';
import { messageTitle, statusOf, statusTone } from './message-words.js';
import { usePinned } from './pins.js';

export function ExchangeRow({ message }: { message: TimelineRow }) {
  const inner = message.group !== message.seq;
  const pinned = usePinned(message.seq);
  const status = statusOf(message);
  const { answer, http, upstreams, upstream } = message;
  return (
    <div
      className="exchange-row"
      data-failed={status === 'error' || status === 'lost' || status === 'invalid'}
      data-inner={inner}
      data-event={message.kind === 'event'}
    >
      <span className="mono small soft exchange-time">{formatTime(message.at)}</span>
      <span className="exchange-status" data-tone={statusTone(status)}>
        {status ?? <Direction message={message} />}
      </span>
      <span className="exchange-what ellipsis">
        {inner && <span className="message-branch" aria-hidden="true" />}
        {pinned && <Icon name="pin" size={12} />}
        <span className="mono">{shortTitle(message)}</span>
        {message.subject && <strong className="exchange-subject mono"> {message.subject}</strong>}
        {message.round !== undefined && message.round > 1 && (
          <span className="soft"> round {message.round}</span>
        )}
      </span>
      <span className="exchange-preview ellipsis mono small">
        <span className="soft">{message.preview}</span>
        {answer && answer.preview !== '' && (
          <>
            <span className="exchange-arrow" aria-hidden="true">
              {' → '}
            </span>
            <span data-failed={answer.failed}>{answer.preview}</span>
          </>
        )}
      </span>
      <span className="exchange-where small soft ellipsis">
        {upstreams && upstreams.length > 0 ? (
          `via ${upstreams.join(', ')}`
        ) : upstream ? (
          `to ${upstream}`
        ) : (
          <Where message={message} />
        )}
      </span>
      <span className="mono small soft exchange-code">{http?.status ?? ''}</span>
      <span className="mono small soft exchange-duration">
        {message.durationMs === undefined ? '' : formatDuration(message.durationMs)}
      </span>
    </div>
  );
}

function Direction({ message }: { message: TimelineRow }) {
  if (message.kind === 'event') return <Icon name="info" size={13} />;
  const out = message.direction === 'to-server';
  return (
    <span className="message-direction" data-out={out}>
      <span aria-hidden="true">{out ? '→' : '←'}</span>
      <span className="visually-hidden">{out ? 'to the server' : 'from the server'}</span>
    </span>
  );
}

function Where({ message }: { message: TimelineRow }) {
  return <>{useServerName(message.server)}</>;
}

/** Notifications say what they are without the word: the row shows it. */
function shortTitle(message: TimelineRow): string {
  const title = messageTitle(message);
  if (title === 'notifications/message') return 'log';
  return message.kind === 'notification' ? title.replace(/^notifications\//, '') : title;
}
