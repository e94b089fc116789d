import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { InspectedCatalogue, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Icon } from '../../components/icon.js';
import { JsonEditor } from '../../components/json-editor.js';
import { JsonTree } from '../../components/json-tree.js';
import { isObject, parseJson } from '../../components/json-value.js';
import { Notice } from '../../components/notice.js';
import { toMilliseconds } from '../../components/seconds-field.js';
import { Tabs } from '../../components/tabs.js';
import { defaultValues, meantValues } from '../../form/default-values.js';
import { SchemaForm } from '../../form/schema-form.js';
import type { FormValue } from '../../form/tidy-value.js';
import { placeOf, runCall, usePageCall, useRunningCall } from '../../state/calls.js';
import { useDraft } from '../../state/drafts.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash, useRoute } from '../../state/route.js';
import { CallButtons } from './call-buttons.js';
import { CallProgressView } from './call-progress.js';
import { ToolResult } from './tool-result.js';

type Tool = InspectedCatalogue['tools']['items'][number];
type Way = 'form' | 'json' | 'schema';

const WAYS = [
  { name: 'form', label: 'Form' },
  { name: 'json', label: 'JSON' },
  { name: 'schema', label: 'Schema' },
] as const;

export function ToolDetail({ server, tool }: { server: ServerView; tool: Tool }) {
  const place = placeOf(server.id, 'tool', tool.name);
  const [way, setWay] = useState<Way>('form');
  const [value, setValue] = useDraft<FormValue>(place, () => defaultValues(tool.inputSchema));
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const call = usePageCall(place);
  const running = useRunningCall(call?.callId);
  const busy = call?.running === true;
  const written = parseJson(text);
  const [timeout, setTimeout] = useDraft<string>(`time-out ${place}`, () => '');
  const element = useRef<HTMLDivElement>(null);
  useSaved((saved) => {
    setValue(saved);
    setText(JSON.stringify(saved, null, 2));
  });

  const meant = useMemo(() => meantValues(tool.inputSchema, value), [tool.inputSchema, value]);
  const args = way === 'json' && written.ok && isObject(written.value) ? written.value : meant;
  // What the shown call was made with, whatever is written since.
  const latest = useRef(args);
  latest.current = args;
  const callId = call?.callId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: taken anew with each call
  const called = useMemo(() => latest.current, [callId]);
  const ready = way !== 'json' || (written.ok && isObject(written.value));
  // Where clients choose, a call is a task only if they say so.
  const chooses = server.session?.capabilities.tasks?.requests?.tools?.call !== undefined;
  const mayBeTask = chooses && tool.execution?.taskSupport === 'optional';
  const [asTask, setAsTask] = useDraft<boolean>(`task ${place}`, () => false);
  const start = (given: FormValue) => {
    const task = mayBeTask && asTask ? { task: true } : {};
    const target = { kind: 'tool', name: tool.name, arguments: { ...given }, ...task } as const;
    if (!busy) void runCall(place, server.id, target, { timeoutMs: toMilliseconds(timeout) });
  };
  const select = (next: Way) => {
    // Each way shows what was written in the other.
    if (way === 'json' && written.ok && isObject(written.value)) setValue(written.value);
    if (next === 'json') setText(JSON.stringify(args, null, 2));
    setWay(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (way === 'form') element.current?.querySelector('form')?.requestSubmit();
    else if (ready) start(args);
  };
  const buttons = (
    <CallButtons
      server={server}
      tool={tool}
      args={args}
      busy={busy}
      disabled={!ready || server.state !== 'ready'}
      repeated={call?.outcome !== undefined}
      timeout={timeout}
      onTimeout={setTimeout}
      onCall={way === 'form' ? undefined : () => start(args)}
      {...(mayBeTask ? { task: { wanted: asTask, onWanted: setAsTask } } : {})}
    />
  );
  return (
    <div className="detail stack" ref={element} onKeyDownCapture={onKeyDown}>
      <a className="button back" href={routeHash('tools', server.id)}>
        <Icon name="back" /> All tools
      </a>
      <ToolHead tool={tool} />
      <Tabs label="Arguments" tabs={WAYS} selected={way} onSelect={select}>
        {way === 'form' && (
          <SchemaForm
            schema={tool.inputSchema}
            value={value}
            idPrefix="arg"
            mayInsist
            onChange={setValue}
            onSubmit={start}
          >
            {buttons}
          </SchemaForm>
        )}
        {way === 'json' && (
          <div className="stack">
            <JsonEditor label="Arguments as JSON" text={text} onChange={setText} schema={tool.inputSchema} />
            {written.ok && !isObject(written.value) && <Notice tone="warn">Arguments are an object.</Notice>}
            {buttons}
          </div>
        )}
        {way === 'schema' && (
          <div className="stack">
            <JsonTree value={tool.inputSchema} label="Input schema" openDepth={4} />
            {tool.outputSchema && (
              <>
                <h3>Output schema</h3>
                <JsonTree value={tool.outputSchema} label="Output schema" openDepth={4} />
              </>
            )}
          </div>
        )}
      </Tabs>
      {busy && call && <CallProgressView callId={call.callId} running={running} />}
      {call?.outcome && <ToolResult server={server} tool={tool} outcome={call.outcome} args={called} />}
    </div>
  );
}

/** Takes over the arguments of the saved call that the address names, once for each. */
function useSaved(take: (value: FormValue) => void): void {
  const id = useRoute().query.get('saved');
  const saved = useInspector((state) => state.saved.find((call) => call.id === id));
  const taken = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (saved === undefined || saved.target.kind !== 'tool' || taken.current === saved.id) return;
    taken.current = saved.id;
    take(saved.target.arguments);
  }, [saved, take]);
}

const SHORT = 1_200;

/** Descriptions are written for models, and may be long. */
function Description({ text }: { text: string }) {
  const [all, setAll] = useState(text.length <= SHORT);
  return (
    <div>
      <p className="pre-wrap wrap tool-description">{all ? text : `${text.slice(0, SHORT)}…`}</p>
      {!all && (
        <button type="button" className="link-button small" onClick={() => setAll(true)}>
          Show all
        </button>
      )}
    </div>
  );
}

const HINTS = [
  ['readOnlyHint', 'reads only', 'good'],
  ['destructiveHint', 'destructive', 'warn'],
  ['idempotentHint', 'idempotent', undefined],
  ['openWorldHint', 'open world', undefined],
] as const;

function ToolHead({ tool }: { tool: Tool }) {
  const hints = HINTS.filter(([hint]) => tool.annotations?.[hint] === true);
  return (
    <div className="stack-tight">
      <div className="row-wrap">
        <h1 className="panel-title wrap">{tool.title ?? tool.annotations?.title ?? tool.name}</h1>
        <code className="wrap soft">{tool.name}</code>
        {hints.map(([hint, word, tone]) => (
          <Badge key={hint} tone={tone}>
            {word}
          </Badge>
        ))}
      </div>
      {typeof tool.description === 'string' && <Description text={tool.description} />}
    </div>
  );
}
