/** One message in full: its text, its headers, the call that it belongs to. */

import { useEffect, useState } from 'react';
import type { Failure, MessageDetail } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button, IconButton } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { CopyButton } from '../../components/copy-button.js';
import { formatBytes, formatDuration, formatTime } from '../../components/format.js';
import { JsonTree } from '../../components/json-tree.js';
import { parseJson } from '../../components/json-value.js';
import { FailureNotice } from '../../components/notice.js';
import { Tabs } from '../../components/tabs.js';
import { command, failureOf } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { CallMessages } from './call-messages.js';
import { ComparePins } from './compare-pins.js';
import { ExchangeView } from './exchange-view.js';
import { kindTone, kindWord, messageTitle } from './message-words.js';
import { togglePin, usePinned } from './pins.js';
import { ReplayForm } from './replay-form.js';

type Part = 'tree' | 'text' | 'http' | 'call' | 'replay';

export function MessageDetailView({ seq, onClose }: { seq: number; onClose: () => void }) {
  const change = useInspector((state) => state.timelineChange.count);
  const [message, setMessage] = useState<MessageDetail | undefined>();
  const [failure, setFailure] = useState<Failure | undefined>();
  const settled = message?.durationMs !== undefined || message?.kind === 'notification';
  // A request gets its duration with its answer, so it is fetched again until then.
  const version = settled ? 0 : change;
  useEffect(() => {
    let wanted = true;
    void version;
    command('timeline.get', { seqs: [seq] }).then(
      ({ messages }) => {
        if (!wanted) return;
        setMessage(messages[0]);
        setFailure(messages[0] ? undefined : { code: 'gone', message: `Message ${seq} is no longer kept.` });
      },
      (error: unknown) => wanted && setFailure(failureOf(error)),
    );
    return () => {
      wanted = false;
    };
  }, [seq, version]);
  return (
    <aside className="message-detail" aria-label={`Message ${seq}`}>
      {failure && <FailureNotice failure={failure} />}
      {message ? (
        <Detail message={message} onClose={onClose} />
      ) : (
        <Button icon="close" onClick={onClose}>
          Close
        </Button>
      )}
    </aside>
  );
}

function Detail({ message, onClose }: { message: MessageDetail; onClose: () => void }) {
  const [part, setPart] = useState<Part>('tree');
  const parsed = parseJson(message.text);
  const replayable = message.kind === 'request' && message.direction === 'to-server';
  const tabs = [
    { name: 'tree', label: 'Message' },
    { name: 'text', label: 'Text' },
    ...(message.exchange ? [{ name: 'http', label: 'HTTP' } as const] : []),
    { name: 'call', label: 'Call' },
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
        {part === 'tree' &&
          (parsed.ok ? (
            <JsonTree value={parsed.value} label="Message" openDepth={4} />
          ) : (
            <CodeBlock text={message.text || 'No text.'} label="Text of the message" />
          ))}
        {part === 'text' && <CodeBlock text={message.text || 'No text.'} label="Text of the message" />}
        {part === 'http' && message.exchange && <ExchangeView exchange={message.exchange} />}
        {part === 'call' && <CallMessages message={message} />}
        {part === 'replay' && <ReplayForm message={message} />}
      </Tabs>
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
