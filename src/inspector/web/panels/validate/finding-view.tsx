import { useState } from 'react';
import type { ComplyFinding, Failure, MessageDetail } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { CodeBlock } from '../../components/code-block.js';
import { FailureNotice } from '../../components/notice.js';
import { SafeLink } from '../../components/safe-link.js';
import { command, failureOf } from '../../state/api-client.js';
import { routeHash } from '../../state/route.js';
import { messageTitle } from '../timeline/message-words.js';

/** One thing that is wrong: what was expected, what was seen, and the messages that show it. */
export function FindingView({ finding, server }: { finding: ComplyFinding; server: string }) {
  const [messages, setMessages] = useState<readonly MessageDetail[] | undefined>();
  const [failure, setFailure] = useState<Failure | undefined>();
  const show = async () => {
    try {
      setMessages((await command('timeline.get', { seqs: finding.messages })).messages);
    } catch (error) {
      setFailure(failureOf(error));
    }
  };
  return (
    <article className="card finding">
      <div className="stack-tight">
        <div className="row-wrap">
          <Badge tone={finding.level === 'must' ? 'bad' : 'warn'}>{finding.level}</Badge>
          <h3 className="wrap">{finding.title}</h3>
          <Badge>{finding.revision}</Badge>
        </div>
        <p className="wrap">{finding.message}</p>
        <dl className="facts">
          <dt>Expected</dt>
          <dd>{finding.expected}</dd>
          <dt>Requirement</dt>
          <dd>
            <code>{finding.id}</code>{' '}
            {finding.url && <SafeLink address={finding.url}>in the specification</SafeLink>}
          </dd>
        </dl>
      </div>
      <div className="stack-tight">
        {finding.sent && <CodeBlock text={finding.sent} label="Sent" />}
        {finding.received && <CodeBlock text={finding.received} label="Received" />}
        {finding.messages.length > 0 && messages === undefined && (
          <div>
            <Button size="small" icon="timeline" onClick={show}>
              Show the traffic
            </Button>
          </div>
        )}
        {failure && <FailureNotice failure={failure} />}
        {messages?.map((message) => (
          <div key={message.seq} className="stack-tight">
            <a className="small mono wrap" href={routeHash('timeline', server, String(message.seq))}>
              {message.direction === 'to-server' ? '→' : '←'} {messageTitle(message)} #{message.seq}
            </a>
            <CodeBlock text={message.text || '(no text)'} label={`Message ${message.seq}`} />
          </div>
        ))}
      </div>
    </article>
  );
}
