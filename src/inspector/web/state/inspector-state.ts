/** All that the page knows of the process, and how each event changes it. Pure. */

import type {
  AskView,
  AuthFlow,
  ComplyRun,
  Figures,
  InspectedCall,
  InspectedCatalogue,
  InspectedTask,
  InspectorEvent,
  LogEntry,
  PastCall,
  SavedCall,
  ServerId,
  ServerView,
  Snapshot,
  TimelineTotals,
} from '../../api.js';

/** Logs that the page keeps; the process keeps more in its timeline. */
const MAX_LOGS = 5_000;
const MAX_UPDATES = 200;

export interface ResourceUpdate {
  readonly server: ServerId;
  readonly uri: string;
  readonly at: number;
}

export interface CatalogueEntry {
  readonly loading: boolean;
  readonly catalogue?: InspectedCatalogue;
  /** Why the lists could not be had. */
  readonly problem?: string;
  /** The lists have changed since they were fetched. */
  readonly stale: boolean;
}

export interface InspectorState {
  /** `refused`: the token is wrong; another attempt would be refused as well. */
  readonly link: 'connecting' | 'live' | 'lost' | 'refused';
  readonly version: string;
  readonly revisions: Snapshot['revisions'];
  readonly servers: readonly ServerView[];
  readonly chains: Snapshot['chains'];
  readonly asks: readonly AskView[];
  readonly calls: readonly InspectedCall[];
  readonly past: readonly PastCall[];
  readonly tasks: readonly InspectedTask[];
  readonly drafts: Readonly<Record<string, unknown>>;
  readonly pins: readonly number[];
  readonly saved: readonly SavedCall[];
  readonly logs: readonly LogEntry[];
  readonly timeline: TimelineTotals;
  /** The smallest seq that changed with the last `timeline` event, and a count of those events. */
  readonly timelineChange: { readonly from: number; readonly count: number };
  readonly figures: readonly Figures[];
  readonly auth: readonly AuthFlow[];
  readonly runs: readonly ComplyRun[];
  readonly updates: readonly ResourceUpdate[];
  readonly catalogues: Readonly<Record<ServerId, CatalogueEntry>>;
}

/** Names this page among others, so that it knows its own drafts. */
export const PAGE: string = Math.random().toString(36).slice(2);
/** As many as the process keeps. */
const MAX_PAST = 200;

export const initialState: InspectorState = {
  link: 'connecting',
  version: '',
  revisions: [],
  servers: [],
  chains: [],
  asks: [],
  calls: [],
  past: [],
  tasks: [],
  drafts: {},
  pins: [],
  saved: [],
  logs: [],
  timeline: {
    messages: 0,
    bytes: 0,
    first: 0,
    last: 0,
    dropped: 0,
    maxMessages: 0,
    maxBytes: 0,
    recording: true,
  },
  timelineChange: { from: 0, count: 0 },
  figures: [],
  auth: [],
  runs: [],
  updates: [],
  catalogues: {},
};

export function applyEvent(state: InspectorState, event: InspectorEvent): InspectorState {
  switch (event.type) {
    case 'hello':
      return {
        ...state,
        ...event.snapshot,
        link: 'live',
        timelineChange: { from: 0, count: state.timelineChange.count + 1 },
        catalogues: {},
      };
    case 'server':
      return withServer(state, event.server);
    case 'serverRemoved':
      return withoutServer(state, event.server);
    case 'chain':
      return { ...state, chains: [...state.chains.filter(({ id }) => id !== event.chain.id), event.chain] };
    case 'changed': {
      const entry = state.catalogues[event.server];
      if (entry === undefined) return state;
      return { ...state, catalogues: { ...state.catalogues, [event.server]: { ...entry, stale: true } } };
    }
    case 'resourceUpdated': {
      const { server, uri, at } = event;
      return { ...state, updates: [...state.updates, { server, uri, at }].slice(-MAX_UPDATES) };
    }
    case 'callStarted':
      return { ...state, calls: [...state.calls, event.call] };
    case 'callProgress':
      return {
        ...state,
        calls: state.calls.map((call) =>
          call.callId === event.callId ? { ...call, progress: event.progress } : call,
        ),
      };
    case 'callDeadline':
      return {
        ...state,
        calls: state.calls.map((call) =>
          call.callId === event.callId ? withDeadline(call, event.timeoutMs, event.deadlineAt) : call,
        ),
      };
    case 'callEnded':
      return {
        ...state,
        calls: state.calls.filter(({ callId }) => callId !== event.callId),
        past: event.past === undefined ? state.past : [...state.past, event.past].slice(-MAX_PAST),
      };
    case 'callTask':
      return {
        ...state,
        calls: state.calls.map((call) =>
          call.callId === event.callId ? { ...call, task: event.task } : call,
        ),
      };
    case 'task':
      return withTask(state, event.task);
    case 'taskForgotten':
      return {
        ...state,
        tasks: state.tasks.filter(({ server, id }) => server !== event.server || id !== event.id),
      };
    case 'pastCleared':
      return { ...state, past: [] };
    case 'draft':
      return event.page === PAGE ? state : withDraft(state, event.place, event.value);
    case 'pins':
      return { ...state, pins: event.pins };
    case 'serverOrder':
      return {
        ...state,
        servers: state.servers.toSorted(
          (one, other) => event.servers.indexOf(one.id) - event.servers.indexOf(other.id),
        ),
      };
    case 'ask':
      return { ...state, asks: [...state.asks.filter(({ id }) => id !== event.ask.id), event.ask] };
    case 'askEnded':
      return { ...state, asks: state.asks.filter(({ id }) => id !== event.id) };
    case 'logs':
      return { ...state, logs: [...state.logs, ...event.entries].slice(-MAX_LOGS) };
    case 'stderr':
      // Every line is among the logs too; the text itself is fetched by who shows it.
      return state;
    case 'timeline':
      return {
        ...state,
        timeline: event.totals,
        timelineChange: { from: event.from, count: state.timelineChange.count + 1 },
      };
    case 'figures':
      return { ...state, figures: event.figures };
    case 'auth':
      return {
        ...state,
        auth: [...state.auth.filter(({ server }) => server !== event.flow.server), event.flow],
      };
    case 'complyStarted':
      return withRun(state, event.run);
    case 'complyProgress':
      return changeRun(state, event.run, (run) => ({ ...run, progress: event.progress }));
    case 'complyFinding':
      return changeRun(state, event.run, (run) => ({ ...run, findings: [...run.findings, event.finding] }));
    case 'complyEnded':
      return withRun(state, event.run);
    case 'saved':
      return { ...state, saved: event.saved };
  }
}

function withDeadline(call: InspectedCall, timeoutMs: number, deadlineAt: number | null): InspectedCall {
  const { deadlineAt: _, ...rest } = call;
  return deadlineAt === null ? { ...rest, timeoutMs } : { ...rest, timeoutMs, deadlineAt };
}

/** Null forgets it. */
export function withDraft(state: InspectorState, place: string, value: unknown): InspectorState {
  const { [place]: _, ...others } = state.drafts;
  return { ...state, drafts: value === null ? others : { ...others, [place]: value } };
}

function withTask(state: InspectorState, task: InspectedTask): InspectorState {
  const at = state.tasks.findIndex(({ server, id }) => server === task.server && id === task.id);
  return { ...state, tasks: at === -1 ? [...state.tasks, task] : state.tasks.with(at, task) };
}

function withServer(state: InspectorState, server: ServerView): InspectorState {
  const known = state.servers.some(({ id }) => id === server.id);
  const before = state.servers.find(({ id }) => id === server.id);
  const servers = known
    ? state.servers.map((each) => (each.id === server.id ? server : each))
    : [...state.servers, server];
  // Another connection may have other lists.
  const renewed = server.state === 'ready' && before?.state !== 'ready';
  const entry = state.catalogues[server.id];
  if (!renewed || entry === undefined) return { ...state, servers };
  return { ...state, servers, catalogues: { ...state.catalogues, [server.id]: { ...entry, stale: true } } };
}

function withoutServer(state: InspectorState, gone: ServerId): InspectorState {
  const { [gone]: _, ...catalogues } = state.catalogues;
  return {
    ...state,
    catalogues,
    servers: state.servers.filter(({ id }) => id !== gone),
    asks: state.asks.filter(({ server }) => server !== gone),
    auth: state.auth.filter(({ server }) => server !== gone),
  };
}

function withRun(state: InspectorState, run: ComplyRun): InspectorState {
  return { ...state, runs: [...state.runs.filter(({ id }) => id !== run.id), run] };
}

function changeRun(state: InspectorState, id: string, change: (run: ComplyRun) => ComplyRun): InspectorState {
  return { ...state, runs: state.runs.map((run) => (run.id === id ? change(run) : run)) };
}
