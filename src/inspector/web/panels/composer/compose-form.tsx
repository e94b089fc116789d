/** One message to write: its method, its params, and what came back. */

import { useId, useState } from 'react';
import type { CallTarget, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { formatDuration } from '../../components/format.js';
import { JsonEditor } from '../../components/json-editor.js';
import { JsonTree } from '../../components/json-tree.js';
import { isObject, parseJson } from '../../components/json-value.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { SecondsField, toMilliseconds } from '../../components/seconds-field.js';
import { Segmented } from '../../components/segmented.js';
import { command } from '../../state/api-client.js';
import { placeOf, runCall, usePageCall, useRunningCall } from '../../state/calls.js';
import { useDraft } from '../../state/drafts.js';
import { useInspector } from '../../state/inspector.js';
import { toast } from '../../state/toasts.js';
import { useCommand } from '../../state/use-command.js';
import { CallProgressView } from '../tools/call-progress.js';
import { SaveCallDialog } from './save-call.js';
import { isTemplate, templateFor } from './templates.js';

interface Composed {
  readonly kind: 'raw' | 'notification';
  readonly method: string;
  readonly text: string;
}

const KINDS = [
  { name: 'raw', label: 'Request' },
  { name: 'notification', label: 'Notification' },
] as const;

export function ComposeForm({ server, taken }: { server: ServerView; taken: CallTarget | undefined }) {
  const id = useId();
  const place = placeOf(server.id, 'composer', '');
  const [draft, setDraft] = useDraft<Composed>(`compose ${server.id}`, () => START);
  const [used, setUsed] = useState(false);
  // A call of the list is written here once; after that the draft counts.
  const composed = taken !== undefined && !used ? composedOf(taken) : draft;
  const [timeout, setTimeout] = useState('');
  const [saving, setSaving] = useState(false);
  const revisions = useInspector((state) => state.revisions);
  const version = server.session?.revision ?? server.pinned ?? revisions.at(-1)?.version;
  const revision = revisions.find((each) => each.version === version);
  const known = (composed.kind === 'raw' ? revision?.requests : revision?.notifications) ?? [];
  const call = usePageCall(place);
  const running = useRunningCall(call?.callId);
  const busy = call?.running === true;
  const parsed = parseJson(composed.text);
  const params = parsed.ok && isObject(parsed.value) ? parsed.value : undefined;
  const pin = useCommand();
  const set = (part: Partial<Composed>) => {
    setUsed(true);
    setDraft({ ...composed, ...part });
  };
  const choose = (method: string) =>
    set({ method, ...(isTemplate(composed.text) ? { text: templateFor(method) } : {}) });
  const target: CallTarget = { kind: composed.kind, method: composed.method, params: { ...params } };
  const send = async () => {
    if (params === undefined) return;
    const outcome = await runCall(place, server.id, target, { timeoutMs: toMilliseconds(timeout) });
    if (outcome.ok && composed.kind === 'notification') toast('good', `${composed.method} was sent.`);
  };
  return (
    <div className="detail stack">
      <div className="row-wrap">
        <h1 className="panel-title grow">Composer</h1>
        <label className="row">
          <span className="soft small">Revision</span>
          <select
            className="select compact"
            aria-label="Revision"
            value={server.pinned ?? ''}
            onChange={({ target: { value } }) =>
              pin.run(() =>
                command('servers.pin', { server: server.id, revision: value === '' ? null : value }),
              )
            }
          >
            <option value="">newest of both{version === undefined ? '' : ` (${version})`}</option>
            {revisions.map((each) => (
              <option key={each.version} value={each.version}>
                {each.version} ({each.era})
              </option>
            ))}
          </select>
        </label>
      </div>
      <div className="row-wrap">
        <Segmented
          label="Kind of message"
          choices={KINDS}
          selected={composed.kind}
          onSelect={(kind) => set({ kind })}
        />
        <input
          className="input mono grow"
          aria-label="Method"
          list={`${id}-methods`}
          placeholder={composed.kind === 'raw' ? 'tools/call' : 'notifications/…'}
          spellCheck={false}
          autoComplete="off"
          value={composed.method}
          onChange={(event) => choose(event.target.value)}
        />
        <datalist id={`${id}-methods`}>
          {known.map((method) => (
            <option key={method} value={method} />
          ))}
        </datalist>
      </div>
      {composed.method !== '' && !known.includes(composed.method) && (
        <Notice tone="warn">
          {composed.method} is not a {composed.kind === 'raw' ? 'request' : 'notification'} of a client in
          revision {version}. It is sent anyway, as it is written.
        </Notice>
      )}
      <JsonEditor label="Params as JSON" text={composed.text} onChange={(text) => set({ text })} />
      {parsed.ok && params === undefined && <Notice tone="warn">Params are an object.</Notice>}
      <div className="row-wrap">
        <Button
          icon="send"
          kind="primary"
          disabled={busy || params === undefined || composed.method === '' || server.state !== 'ready'}
          onClick={send}
        >
          Send
        </Button>
        <Button
          icon="save"
          disabled={params === undefined || composed.method === ''}
          onClick={() => setSaving(true)}
        >
          Save
        </Button>
        {composed.kind === 'raw' && (
          <SecondsField
            label="Time-out"
            value={timeout}
            fallback={String((server.settings.callTimeoutMs ?? 60_000) / 1_000)}
            onChange={setTimeout}
          />
        )}
      </div>
      {pin.failure && <FailureNotice failure={pin.failure} />}
      {busy && call && <CallProgressView callId={call.callId} running={running} />}
      {call?.outcome && (
        <section className="card stack" aria-label="Result">
          <div className="row-wrap">
            <h2>Result</h2>
            <Badge tone={call.outcome.ok ? 'good' : 'bad'}>{call.outcome.ok ? 'ok' : 'error'}</Badge>
            <Badge>{formatDuration(call.outcome.durationMs)}</Badge>
          </div>
          {call.outcome.ok ? (
            <JsonTree value={call.outcome.result} label="Result" openDepth={3} />
          ) : (
            <FailureNotice failure={call.outcome.failure} />
          )}
        </section>
      )}
      {saving && (
        <SaveCallDialog
          server={server}
          target={target}
          name={composed.method}
          onClose={() => setSaving(false)}
        />
      )}
    </div>
  );
}

const START: Composed = { kind: 'raw', method: 'tools/list', text: '{}' };

/** Any call as the message that it is. */
function composedOf(target: CallTarget): Composed {
  const text = (params: object) => JSON.stringify(params, null, 2);
  switch (target.kind) {
    case 'tool':
      return {
        kind: 'raw',
        method: 'tools/call',
        text: text({ name: target.name, arguments: target.arguments }),
      };
    case 'prompt':
      return {
        kind: 'raw',
        method: 'prompts/get',
        text: text({ name: target.name, arguments: target.arguments }),
      };
    case 'resource':
      return { kind: 'raw', method: 'resources/read', text: text({ uri: target.uri }) };
    case 'task':
      return { kind: 'raw', method: 'tasks/get', text: text({ taskId: target.id }) };
    default:
      return { kind: target.kind, method: target.method, text: text(target.params) };
  }
}
