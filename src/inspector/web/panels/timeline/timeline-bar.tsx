import { type ChangeEvent, type ReactNode, useRef, useState } from 'react';
import type { MessageFilter, MessageSource } from '../../../api.js';
import { Button, IconButton } from '../../components/button.js';
import { formatCount, plural } from '../../components/format.js';
import { SearchField } from '../../components/search-field.js';
import { Segmented } from '../../components/segmented.js';
import { command, download, failureOf } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { toast } from '../../state/toasts.js';
import { type FilterChoice, isFiltered, type KindChoice, NO_FILTER } from './filter-state.js';

export type TimelineView = 'exchanges' | 'messages' | 'diagram' | 'hops';

const VIEWS = [
  { name: 'exchanges', label: 'Exchanges' },
  { name: 'messages', label: 'Messages' },
  { name: 'diagram', label: 'Diagram' },
  { name: 'hops', label: 'Hops' },
] as const;

const METHODS = [
  'tools/',
  'resources/',
  'prompts/',
  'completion/',
  'notifications/',
  'elicitation/',
  'sampling/',
];
const SOURCES: readonly (readonly [MessageSource, string])[] = [
  ['inspector', 'Inspector'],
  ['chain', 'Chain'],
  ['validator', 'Validator'],
  ['app', 'Apps'],
  ['import', 'Imported'],
];
const KIND_LABELS: readonly (readonly [Exclude<KindChoice, ''>, string])[] = [
  ['requests', 'Requests'],
  ['answers', 'Answers'],
  ['notifications', 'Notifications'],
  ['http', 'HTTP only'],
  ['events', 'Connection events'],
  ['malformed', 'Malformed'],
];
const SLOW = [0, 10, 100, 1_000];
/** Below this the selects would fill the page, and are opened when wanted. */
const WIDE = 1_000;

export function TimelineBar({
  view,
  onView,
  choice,
  filter,
  onChoice,
  follow,
  onFollow,
}: {
  view: TimelineView;
  onView: (view: TimelineView) => void;
  choice: FilterChoice;
  filter: MessageFilter;
  onChoice: (choice: FilterChoice) => void;
  follow: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const totals = useInspector((state) => state.timeline);
  const [open, setOpen] = useState(() => window.innerWidth >= WIDE);
  return (
    <div className="timeline-bars">
      <div className="panel-bar">
        <h1 className="panel-title">Traffic</h1>
        <Segmented label="View" choices={VIEWS} selected={view} onSelect={onView} />
        <SearchField
          label="Search messages"
          value={choice.text}
          onChange={(text) => onChoice({ ...choice, text })}
        />
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          Filters{isFiltered({ ...choice, text: '' }) ? ' •' : ''}
        </Button>
        <Button aria-pressed={follow} onClick={() => onFollow(!follow)}>
          Follow
        </Button>
      </div>
      {open && <FilterSelects choice={choice} onChoice={onChoice} />}
      <div className="timeline-totals">
        <p className="small soft" aria-live="off">
          {plural(totals.messages, 'message')}
          {totals.dropped > 0 && `, ${formatCount(totals.dropped)} older ones dropped`}
          {!totals.recording && ', recording is paused'}
        </p>
        <TimelineActions filter={filter} />
      </div>
    </div>
  );
}

function FilterSelects({
  choice,
  onChoice,
}: {
  choice: FilterChoice;
  onChoice: (choice: FilterChoice) => void;
}) {
  const servers = useInspector((state) => state.servers);
  const chains = useInspector((state) => state.chains);
  const set = (part: Partial<FilterChoice>) => onChoice({ ...choice, ...part });
  return (
    <div className="panel-bar filter-bar">
      <Select label="Server" value={choice.server} onChange={(server) => set({ server })}>
        <option value="">All servers</option>
        {[...servers, ...chains].map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select label="Kind" value={choice.kind} onChange={(kind) => set({ kind: kind as KindChoice })}>
        <option value="">All kinds</option>
        {KIND_LABELS.map(([kind, label]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </Select>
      <Select label="Method" value={choice.method} onChange={(method) => set({ method })}>
        <option value="">All methods</option>
        {METHODS.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </Select>
      <Select
        label="Source"
        value={choice.source}
        onChange={(source) => set({ source: source as FilterChoice['source'] })}
      >
        <option value="">All sources</option>
        {SOURCES.map(([source, label]) => (
          <option key={source} value={source}>
            {label}
          </option>
        ))}
      </Select>
      <Select
        label="Duration"
        value={String(choice.slowerThanMs)}
        onChange={(value) => set({ slowerThanMs: Number(value) })}
      >
        {SLOW.map((ms) => (
          <option key={ms} value={ms}>
            {ms === 0 ? 'Any duration' : `${ms} ms and more`}
          </option>
        ))}
      </Select>
      <label className="check">
        <input
          type="checkbox"
          checked={choice.failedOnly}
          onChange={(event) => set({ failedOnly: event.target.checked })}
        />
        Failures only
      </label>
      {choice.group !== undefined && <span className="badge">call #{choice.group}</span>}
      {choice.run !== undefined && <span className="badge">one validator run</span>}
      {isFiltered(choice) && (
        <Button size="small" icon="close" onClick={() => onChoice(NO_FILTER)}>
          Clear the filter
        </Button>
      )}
    </div>
  );
}

function Select({
  label,
  value,
  onChange,
  children,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}) {
  return (
    <select
      className="select compact"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {children}
    </select>
  );
}

function TimelineActions({ filter }: { filter: MessageFilter }) {
  const recording = useInspector((state) => state.timeline.recording);
  const file = useRef<HTMLInputElement>(null);
  const attempt = (work: Promise<unknown>) =>
    work.catch((error: unknown) => toast('bad', failureOf(error).message));
  const importFile = async (event: ChangeEvent<HTMLInputElement>) => {
    const [chosen] = event.target.files ?? [];
    event.target.value = '';
    if (chosen === undefined) return;
    const text = await chosen.text();
    const summary = await command('timeline.import', { name: chosen.name, text });
    const skipped = summary.skipped > 0 ? `, ${plural(summary.skipped, 'line')} skipped` : '';
    toast('good', `${plural(summary.messages, 'message')} imported${skipped}.`);
  };
  return (
    <div className="row-wrap timeline-actions">
      <IconButton
        icon={recording ? 'stop' : 'play'}
        label={recording ? 'Pause recording' : 'Record again'}
        onClick={() => attempt(command('timeline.record', { recording: !recording }))}
      />
      <Button
        size="small"
        icon="download"
        onClick={() => attempt(download('timeline.export', { format: 'jsonl', filter }))}
      >
        JSON lines
      </Button>
      <Button
        size="small"
        icon="download"
        onClick={() => attempt(download('timeline.export', { format: 'har', filter }))}
      >
        HAR
      </Button>
      <Button size="small" icon="upload" onClick={() => file.current?.click()}>
        Import
      </Button>
      <input
        ref={file}
        type="file"
        hidden
        aria-label="File to import"
        accept=".jsonl,.ndjson,.har,.json"
        onChange={(event) => attempt(importFile(event))}
      />
      <IconButton
        icon="trash"
        label="Forget all messages"
        onClick={() => attempt(command('timeline.clear', {}))}
      />
    </div>
  );
}
