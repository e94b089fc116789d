/** One message in full: its text, its headers, the call that it belongs to. */

import { useEffect, useState } from 'react';
import type { Failure, MessageDetail } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button, IconButton } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { formatBytes, formatDuration, formatTime } from '../../components/format.js';
import { JsonTree } from '../../components/json-tree.js';
import { parseJson } from '../../components/json-value.js';
import { LongText } from '../../components/long-text.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { Tabs } from '../../components/tabs.js';
import { command, failureOf } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { CallMessages } from './call-messages.js';
import { ChainChanges } from './chain-changes.js';
import { ComparePins } from './compare-pins.js';
import { ExchangeView } from './exchange-view.js';
import { kindTone, kindWord, messageTitle, statusTone } from './message-words.js';
import { togglePin, usePinned } from './pins.js';
import { ReplayForm } from './replay-form.js';

type Part = 'tree' | 'answer' | 'text' | 'http' | 'call' | 'chain' | 'replay';

export function MessageDetailView({ seq, onClose }: { seq: number; onClose: () => void }) {
  const [message, setMessage] = useState<MessageDetail | undefined>();
  const [answer, setAnswer] = useState<MessageDetail | undefined>();
  const [failure, setFailure] = useState<Failure | undefined>();
  // A request gets its answer, and a message its verdict, after it was recorded.
  const version = useInspector(({ timelineChange: { from, count } }) => (from <= seq ? count : 0));
  useEffect(() => {
    let wanted = true;
    void version;
    const fetchBoth = async () => {
      const [found] = (await command('timeline.get', { seqs: [seq] })).messages;
      const pair = found?.kind === 'request' ? found.pair : undefined;
      const [other] = pair === undefined ? [] : (await command('timeline.get', { seqs: [pair] })).messages;
      if (!wanted) return;
      setMessage(found);
      setAnswer(other);
      setFailure(found ? undefined : { code: 'gone', message: `Message ${seq} is no longer kept.` });
    };
    fetchBoth().catch((error: unknown) => wanted && setFailure(failureOf(error)));
    return () => {
      wanted = false;
    };
  }, [seq, version]);
  return (
    <aside className="message-detail" aria-label={`Message ${seq}`}>
      {failure && <FailureNotice failure={failure} />}
      {message ? (
        <Detail message={message} answer={answer} onClose={onClose} />
      ) : (
        <Button icon="close" onClick={onClose}>
          Close
        </Button>
      )}
    </aside>
  );
}

function Detail({
  message,
  answer,
  onClose,
}: {
  message: MessageDetail;
  answer: MessageDetail | undefined;
  onClose: () => void;
}) {
  const [part, setPart] = useState<Part>('tree');
  const replayable = message.kind === 'request' && message.direction === 'to-server';
  const tabs = [
    { name: 'tree', label: message.kind === 'request' ? 'Request' : 'Message' },
    ...(answer ? [{ name: 'answer', label: 'Response' } as const] : []),
    { name: 'text', label: 'Text' },
    ...(message.exchange ? [{ name: 'http', label: 'HTTP' } as const] : []),
    ...(message.kind === 'event' ? [] : [{ name: 'call', label: 'Call' } as const]),
    ...(message.hop === 'direct' && message.upstreams === undefined
      ? []
      : [{ name: 'chain', label: 'Chain' } as const]),
    ...(replayable ? [{ name: 'replay', label: 'Replay' } as const] : []),
  ] as const;
  return (
    <div className="stack">
      <div className="row">
        <h2 className="grow wrap mono">{messageTitle(message)}</h2>
        <PinButton seq={message.seq} />
        <CopyButton compact label="Copy a link to this message" text={() => location.href} />
        <IconButton icon="close" label="Close the message" onClick={onClose} />
      </div>
      <div className="row-wrap">
        <Badge tone={kindTone(message)}>{kindWord(message)}</Badge>
        {message.status && <Badge tone={statusTone(message.status)}>{message.status}</Badge>}
        <Badge>{message.direction === 'to-server' ? 'to the server' : 'from the server'}</Badge>
        {message.revision && <Badge>{message.revision}</Badge>}
        {message.era && <Badge>{message.era}</Badge>}
        {message.round !== undefined && <Badge tone="warn">round {message.round}</Badge>}
        {message.masked && <Badge tone="info">secrets masked</Badge>}
        {message.truncated && <Badge tone="warn">cut short</Badge>}
      </div>
      <Facts message={message} />
      <ComparePins message={message} />
      <Tabs label="Parts of the message" tabs={tabs} selected={part} onSelect={setPart}>
        {part === 'tree' && <Body message={message} label="Message" />}
        {part === 'answer' && answer && <Body message={answer} label="Response" />}
        {part === 'text' && <LongText text={message.text || 'No text.'} label="Text of the message" />}
        {part === 'http' && message.exchange && <ExchangeView exchange={message.exchange} />}
        {part === 'call' && <CallMessages message={message} />}
        {part === 'chain' && <ChainChanges group={message.group} />}
        {part === 'replay' && <ReplayForm message={message} />}
      </Tabs>
    </div>
  );
}

/** The message as a tree, below what is wrong with it. */
function Body({ message, label }: { message: MessageDetail; label: string }) {
  const parsed = parseJson(message.text);
  return (
    <div className="stack">
      {message.problems && (
        <Notice tone="bad">
          <p>This message breaks the schema{message.revision ? ` of revision ${message.revision}` : ''}:</p>
          <ul className="stack-tight">
            {message.problems.map(({ path, message: rule }) => (
              <li key={`${path} ${rule}`} className="wrap">
                <code>{path}</code> {rule}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {parsed.ok ? (
        <JsonTree value={parsed.value} label={label} openDepth={4} />
      ) : (
        <LongText text={message.text || 'No text.'} label={`Text of the ${label.toLowerCase()}`} />
      )}
    </div>
  );
}

function PinButton({ seq }: { seq: number }) {
  const pinned = usePinned(seq);
  return (
    <IconButton
      icon="pin"
      label={pinned ? 'Take the pin off' : 'Pin, to compare with another one'}
      aria-pressed={pinned}
      onClick={() => togglePin(seq)}
    />
  );
}

function Facts({ message }: { message: MessageDetail }) {
  const { pair } = message;
  return (
    <dl className="facts">
      <dt>At</dt>
      <dd className="mono">
        {formatTime(message.at)} <span className="soft">#{message.seq}</span>
      </dd>
      {message.rpcId !== undefined && (
        <>
          <dt>Id</dt>
          <dd className="mono">{JSON.stringify(message.rpcId)}</dd>
        </>
      )}
      {message.durationMs !== undefined && (
        <>
          <dt>Took</dt>
          <dd>{formatDuration(message.durationMs)}</dd>
        </>
      )}
      {pair !== undefined && (
        <>
          <dt>{message.kind === 'request' ? 'Answer' : 'Request'}</dt>
          <dd>
            <a href={routeHash('timeline', message.server, String(pair))}>#{pair}</a>
          </dd>
        </>
      )}
      <dt>Size</dt>
      <dd>
        {formatBytes(message.bytes)} over {message.transport}
      </dd>
    </dl>
  );
}
