/** The events that the process sends to pages. */

import type { AskEnd, AskView } from './asks.js';
import type { AuthFlow } from './auth.js';
import type { CallProgress, InspectedCall, PastCall, SavedCall } from './calls.js';
import type { CatalogueArea } from './catalogue.js';
import type { ComplyFinding, ComplyProgress, ComplyRun } from './comply.js';
import type { Figures } from './figures.js';
import type { ChainView, LogEntry, ServerId, ServerView } from './servers.js';
import type { InspectedTask } from './tasks.js';
import type { TimelineTotals } from './timeline.js';

/** A revision, with what a client may send in it. */
export interface RevisionView {
  readonly version: string;
  readonly era: 'handshake' | 'stateless';
  readonly requests: readonly string[];
  readonly notifications: readonly string[];
}

/** Everything that a page needs to begin with. */
export interface Snapshot {
  readonly version: string;
  /** Every revision that can be pinned, oldest first. */
  readonly revisions: readonly RevisionView[];
  readonly servers: readonly ServerView[];
  /** Chains that run in this process. */
  readonly chains: readonly ChainView[];
  readonly asks: readonly AskView[];
  readonly calls: readonly InspectedCall[];
  /** Calls that have ended, oldest first; at most 200. */
  readonly past: readonly PastCall[];
  /** Tasks of servers; at most 500. */
  readonly tasks: readonly InspectedTask[];
  /** What was typed and not sent, by its place in the page. */
  readonly drafts: Readonly<Record<string, unknown>>;
  /** Messages that are pinned. */
  readonly pins: readonly number[];
  readonly saved: readonly SavedCall[];
  readonly logs: readonly LogEntry[];
  readonly timeline: TimelineTotals;
  readonly figures: readonly Figures[];
  readonly auth: readonly AuthFlow[];
  readonly runs: readonly ComplyRun[];
}

export type InspectorEvent =
  /** The first event of every stream, and after it everything that changes. */
  | { readonly type: 'hello'; readonly snapshot: Snapshot }
  /** A server was added, or something about it changed. */
  | { readonly type: 'server'; readonly server: ServerView }
  /** The ids of all servers, in their new order. */
  | { readonly type: 'serverOrder'; readonly servers: readonly ServerId[] }
  | { readonly type: 'serverRemoved'; readonly server: ServerId }
  /** A chain is watched, or there are other servers behind it. */
  | { readonly type: 'chain'; readonly chain: ChainView }
  /** Lists that have to be fetched again. */
  | { readonly type: 'changed'; readonly server: ServerId; readonly areas: readonly CatalogueArea[] }
  | { readonly type: 'resourceUpdated'; readonly server: ServerId; readonly uri: string; readonly at: number }
  | { readonly type: 'callStarted'; readonly call: InspectedCall }
  | { readonly type: 'callProgress'; readonly callId: string; readonly progress: CallProgress }
  /** Null: it is waited for without a limit, or a question within it is open. */
  | {
      readonly type: 'callDeadline';
      readonly callId: string;
      readonly timeoutMs: number;
      readonly deadlineAt: number | null;
    }
  /** `past` is what is remembered of it; absent where nothing was sent. */
  | { readonly type: 'callEnded'; readonly callId: string; readonly past?: PastCall }
  /** The server answered a call with a task. */
  | { readonly type: 'callTask'; readonly callId: string; readonly task: string }
  | { readonly type: 'pastCleared' }
  /** A task was heard of, or something about it changed. */
  | { readonly type: 'task'; readonly task: InspectedTask }
  | { readonly type: 'taskForgotten'; readonly server: ServerId; readonly id: string }
  /** Typed in the page that names itself; null: it was sent, or given up. */
  | { readonly type: 'draft'; readonly place: string; readonly value: unknown; readonly page: string }
  | { readonly type: 'pins'; readonly pins: readonly number[] }
  | { readonly type: 'ask'; readonly ask: AskView }
  | { readonly type: 'askEnded'; readonly id: string; readonly how: AskEnd }
  /** Several at once, oldest first. */
  | { readonly type: 'logs'; readonly entries: readonly LogEntry[] }
  | { readonly type: 'stderr'; readonly server: ServerId; readonly text: string }
  /**
   * Messages were recorded, got their answers, or were forgotten: at most ten times a second. `from` is the smallest
   * seq whose summary changed or is new; a page that shows later ones asks for them again.
   */
  | { readonly type: 'timeline'; readonly totals: TimelineTotals; readonly from: number }
  /** At most once a second. */
  | { readonly type: 'figures'; readonly figures: readonly Figures[] }
  | { readonly type: 'auth'; readonly flow: AuthFlow }
  | { readonly type: 'complyStarted'; readonly run: ComplyRun }
  | { readonly type: 'complyProgress'; readonly run: string; readonly progress: ComplyProgress }
  | { readonly type: 'complyFinding'; readonly run: string; readonly finding: ComplyFinding }
  | { readonly type: 'complyEnded'; readonly run: ComplyRun }
  | { readonly type: 'saved'; readonly saved: readonly SavedCall[] };
