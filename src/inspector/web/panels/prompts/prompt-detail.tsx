import { type FormEvent, useId } from 'react';
import type { CallOutcome, InspectedCatalogue, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Combobox } from '../../components/combobox.js';
import { ContentList } from '../../components/content-view.js';
import { formatDuration } from '../../components/format.js';
import { Icon } from '../../components/icon.js';
import { isObject } from '../../components/json-value.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { placeOf, runCall, usePageCall } from '../../state/calls.js';
import { useDraft } from '../../state/drafts.js';
import { routeHash } from '../../state/route.js';

type Prompt = InspectedCatalogue['prompts']['items'][number];
type Values = Readonly<Record<string, string>>;

export function PromptDetail({ server, prompt }: { server: ServerView; prompt: Prompt }) {
  const id = useId();
  const place = placeOf(server.id, 'prompt', prompt.name);
  const [values, setValues] = useDraft<Values>(place, () => ({}));
  const call = usePageCall(place);
  const busy = call?.running === true;
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void runCall(place, server.id, { kind: 'prompt', name: prompt.name, arguments: given });
  };
  const suggest = (name: string) => async (value: string) => {
    const { [name]: _, ...settled } = given;
    const ref = { type: 'ref/prompt', name: prompt.name } as const;
    return command('completion.complete', { server: server.id, ref, argument: { name, value }, settled });
  };
  return (
    <div className="detail stack">
      <a className="button back" href={routeHash('prompts', server.id)}>
        <Icon name="back" /> All prompts
      </a>
      <div className="row-wrap">
        <h1 className="panel-title wrap">{prompt.title ?? prompt.name}</h1>
        <code className="soft wrap">{prompt.name}</code>
      </div>
      {prompt.description && <p className="pre-wrap wrap">{prompt.description}</p>}
      <form className="stack" onSubmit={submit}>
        {(prompt.arguments ?? []).map((argument) => (
          <div key={argument.name} className="field">
            <label htmlFor={`${id}-${argument.name}`}>
              {argument.title ?? argument.name}
              {argument.required && <span className="required"> *</span>}
            </label>
            <Combobox
              id={`${id}-${argument.name}`}
              multiline
              value={values[argument.name] ?? ''}
              required={argument.required}
              describedBy={`${id}-${argument.name}-what`}
              suggest={suggest(argument.name)}
              onChange={(value) => setValues({ ...values, [argument.name]: value })}
            />
            <p className="small soft wrap" id={`${id}-${argument.name}-what`}>
              {argument.description}
            </p>
          </div>
        ))}
        <div className="row">
          <Button type="submit" icon="play" kind="primary" disabled={busy || server.state !== 'ready'}>
            Get the messages
          </Button>
        </div>
      </form>
      {call?.outcome && <PromptMessages server={server} outcome={call.outcome} />}
    </div>
  );
}

function PromptMessages({ server, outcome }: { server: ServerView; outcome: CallOutcome }) {
  if (!outcome.ok) return <FailureNotice failure={outcome.failure} />;
  const { messages, description } = outcome.result;
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  return (
    <section className="stack" aria-label="Messages">
      <div className="row-wrap">
        <h2>Messages</h2>
        <Badge>{formatDuration(outcome.durationMs)}</Badge>
      </div>
      {typeof description === 'string' && <p className="soft wrap">{description}</p>}
      {list.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no names and never change
        <div key={index} className="chat" data-role={String(message.role)}>
          <Badge tone={message.role === 'user' ? 'info' : 'good'}>{String(message.role)}</Badge>
          <ContentList
            blocks={[message.content].flat()}
            resourceHref={(uri) => routeHash('resources', server.id, uri)}
          />
        </div>
      ))}
    </section>
  );
}
