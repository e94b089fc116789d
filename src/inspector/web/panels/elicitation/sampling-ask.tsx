/** A question to the model. There is none here: the user answers in its place. */

import { useId, useState } from 'react';
import type { AskAnswer } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { ContentList } from '../../components/content-view.js';
import { JsonEditor } from '../../components/json-editor.js';
import { JsonTree } from '../../components/json-tree.js';
import { isObject, parseJson } from '../../components/json-value.js';
import { Segmented } from '../../components/segmented.js';
import type { AskProps } from './ask-props.js';
import { RefuseButton } from './refuse-button.js';

type SamplingResult = Extract<AskAnswer, { readonly kind: 'sampling' }>['result'];

const WAYS = [
  { name: 'text', label: 'Text' },
  { name: 'json', label: 'JSON' },
] as const;

export function SamplingAsk({ ask, busy, answer }: AskProps<'sampling'>) {
  const id = useId();
  const { params } = ask;
  const [way, setWay] = useState<'text' | 'json'>('text');
  const [text, setText] = useState('');
  const [model, setModel] = useState(params.modelPreferences?.hints?.[0]?.name ?? 'a-person');
  const [json, setJson] = useState('');
  const asResult = (): SamplingResult => ({
    role: 'assistant',
    content: { type: 'text', text },
    model,
    stopReason: 'endTurn',
  });
  const select = (next: 'text' | 'json') => {
    if (next === 'json') setJson(JSON.stringify(asResult(), null, 2));
    setWay(next);
  };
  const written = parseJson(json);
  const send = () => {
    const result =
      way === 'text' ? asResult() : written.ok && isObject(written.value) ? written.value : undefined;
    // The process checks what it is given.
    if (result !== undefined) answer({ kind: 'sampling', result: result as SamplingResult });
  };
  return (
    <div className="stack">
      <SamplingQuestion ask={ask} />
      <div className="row-wrap">
        <h3 className="grow">Your answer</h3>
        <Segmented label="Write the answer as" choices={WAYS} selected={way} onSelect={select} />
      </div>
      {way === 'text' ? (
        <div className="stack">
          <div className="field">
            <label htmlFor={`${id}-text`}>Text</label>
            <textarea
              id={`${id}-text`}
              className="textarea"
              rows={4}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          <div className="field narrow-field">
            <label htmlFor={`${id}-model`}>Model</label>
            <input
              id={`${id}-model`}
              className="input"
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
          </div>
        </div>
      ) : (
        <JsonEditor label="The answer as JSON" text={json} onChange={setJson} />
      )}
      <div className="row-wrap">
        <Button kind="primary" disabled={busy || (way === 'json' && !written.ok)} onClick={send}>
          Send the answer
        </Button>
        <RefuseButton busy={busy} answer={answer} />
      </div>
    </div>
  );
}

function SamplingQuestion({ ask }: { ask: AskProps<'sampling'>['ask'] }) {
  const { messages, systemPrompt, ...rest } = ask.params;
  return (
    <div className="stack">
      {systemPrompt && (
        <div className="content-frame">
          <Badge>system</Badge> <span className="wrap">{systemPrompt}</span>
        </div>
      )}
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no names and never change
        <div key={index} className="chat" data-role={message.role}>
          <Badge tone={message.role === 'user' ? 'info' : 'good'}>{message.role}</Badge>
          <ContentList blocks={[message.content].flat()} />
        </div>
      ))}
      <JsonTree value={rest} label="Preferences" openDepth={1} />
    </div>
  );
}
