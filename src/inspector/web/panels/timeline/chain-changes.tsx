/** What a chain changed between its client and the server behind it: requests and answers, side against side. */

import { useEffect, useState } from 'react';
import type { MessageDetail } from '../../../api.js';
import { parseJson } from '../../components/json-value.js';
import { command } from '../../state/api-client.js';
import { LineDiffView } from './line-diff-view.js';

const MOST = 200;

interface Leg {
  readonly upstream: string;
  readonly request: MessageDetail;
  readonly answer: MessageDetail | undefined;
}

interface Passage {
  readonly request: MessageDetail | undefined;
  readonly answer: MessageDetail | undefined;
  readonly legs: readonly Leg[];
}

export function ChainChanges({ group }: { group: number }) {
  const [passage, setPassage] = useState<Passage | undefined>();
  useEffect(() => {
    let wanted = true;
    load(group).then(
      (found) => wanted && setPassage(found),
      () => undefined,
    );
    return () => {
      wanted = false;
    };
  }, [group]);
  if (passage === undefined) return <p className="soft">Looking…</p>;
  if (passage.legs.length === 0) {
    return <p className="soft">The chain answered by itself: nothing was sent to a server behind it.</p>;
  }
  return (
    <div className="stack">
      {passage.legs.map((leg) => (
        <section key={leg.request.seq} className="stack" aria-label={`To ${leg.upstream}`}>
          <h3>Request, as it went to {leg.upstream}</h3>
          <LineDiffView
            label={`Request to ${leg.upstream}`}
            before={body(passage.request, 'params')}
            after={body(leg.request, 'params')}
          />
          {leg.answer && (
            <>
              <h3>Answer of {leg.upstream}, as it went to the client</h3>
              <LineDiffView
                label={`Answer of ${leg.upstream}`}
                before={body(leg.answer, 'result')}
                after={body(passage.answer, 'result')}
              />
            </>
          )}
        </section>
      ))}
    </div>
  );
}

async function load(group: number): Promise<Passage> {
  const { messages } = await command('timeline.query', { filter: { group }, offset: 0, limit: MOST });
  const shown = messages.filter(({ kind }) => kind === 'request' || kind === 'result' || kind === 'error');
  const { messages: details } = await command('timeline.get', { seqs: shown.map(({ seq }) => seq) });
  const find = (seq: number | undefined) => details.find((each) => each.seq === seq);
  const request = find(group);
  const legs = details
    .filter(
      ({ hop, kind, direction }) => hop === 'upstream' && kind === 'request' && direction === 'to-server',
    )
    .map((each) => ({ upstream: each.upstream ?? 'the server', request: each, answer: find(each.pair) }));
  return { request, answer: find(request?.pair), legs };
}

/** What the message is about, without its envelope. */
function body(message: MessageDetail | undefined, part: 'params' | 'result'): string {
  if (message === undefined) return '';
  const parsed = parseJson(message.text);
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return message.text;
  const whole = parsed.value as Readonly<Record<string, unknown>>;
  return JSON.stringify(whole[part] ?? whole.error ?? null, null, 2);
}
