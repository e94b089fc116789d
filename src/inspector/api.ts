/**
 * What the page and the process say to each other. Types only, and nothing of Node's, so that both sides share it.
 *
 * - `POST api/<command>` with a JSON object as its body, `Content-Type: application/json`, answers 200 with the
 *   command's result as JSON, or another status with an `ApiError`. `timeline.export` and `comply.report` answer with
 *   a file instead of JSON.
 * - `GET api/events` answers with JSON lines (`application/x-ndjson`): an `InspectorEvent` each, `hello` first. An empty
 *   line is a sign of life, at least every 15 seconds.
 * - Both need the header `X-Plumb-Token`. The page is served at `/t/<token>/`, and its assets below it, so that the
 *   token is the second segment of the page's own path; the addresses of the API are relative to the page:
 *   `/t/<token>/api/...`, and the header is required all the same.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { Resource } from '../protocol/model/resources.js';
import type { Root } from '../protocol/model/roots.js';
import type { AppMessage, AppView, OpenApp } from './api/apps.js';
import type { AskAnswer } from './api/asks.js';
import type { AuthFlow } from './api/auth.js';
import type {
  CallOutcome,
  CallRequest,
  CallTarget,
  CompletionRequest,
  CompletionView,
  SavedCall,
} from './api/calls.js';
import type { InspectedCatalogue } from './api/catalogue.js';
import type { ComplyRun, ComplyStart } from './api/comply.js';
import type { Figures } from './api/figures.js';
import type { AddServer, EditServer, Failure, FoundConfig, ServerId, ServerView } from './api/servers.js';
import type { SkillFileView } from './api/skills.js';
import type {
  ExportRequest,
  ImportSummary,
  MessageDetail,
  TimelinePage,
  TimelineQuery,
  TimelineTotals,
} from './api/timeline.js';

export type * from './api/apps.js';
export type * from './api/asks.js';
export type * from './api/auth.js';
export type * from './api/calls.js';
export type * from './api/catalogue.js';
export type * from './api/comply.js';
export type * from './api/events.js';
export type * from './api/figures.js';
export type * from './api/servers.js';
export type * from './api/skills.js';
export type * from './api/tasks.js';
export type * from './api/timeline.js';

/** The body of every answer but 200. */
export interface ApiError {
  readonly error: Failure;
}

/** A file: its name is in `Content-Disposition`. */
export interface FileAnswer {
  readonly file: true;
}

type Nothing = Readonly<Record<never, never>>;
interface OfServer {
  readonly server: ServerId;
}

/** Every command with its parameters and its result. */
export interface Commands {
  'servers.add': { params: AddServer; result: ServerView };
  /** Changes address and settings; connects again where there was a connection. */
  'servers.edit': { params: EditServer; result: ServerView };
  /** The same server once more, secrets and all, not connected. */
  'servers.duplicate': { params: OfServer; result: ServerView };
  /** The order in which servers are shown. */
  'servers.order': { params: { readonly servers: readonly ServerId[] }; result: Nothing };
  'servers.remove': { params: OfServer; result: Nothing };
  /** Connects, or connects again from the start. Answers when that has begun; events report the state. */
  'servers.connect': { params: OfServer; result: ServerView };
  'servers.disconnect': { params: OfServer; result: ServerView };
  /** Pins a revision, or null for the best that both speak; connects again where there was a connection. */
  'servers.pin': { params: OfServer & { readonly revision: string | null }; result: ServerView };
  'servers.rename': { params: OfServer & { readonly name: string }; result: ServerView };
  'servers.ping': { params: OfServer; result: ServerView };
  'servers.logLevel': { params: OfServer & { readonly level: LogLevel }; result: ServerView };
  'servers.roots': {
    params: OfServer & { readonly roots: readonly Root[]; readonly ask: boolean };
    result: ServerView;
  };
  /** The end of what the server wrote to stderr. */
  'servers.stderr': { params: OfServer; result: { readonly text: string } };
  'configs.list': { params: Nothing; result: { readonly configs: readonly FoundConfig[] } };

  /** `reload` asks the server anew; otherwise lists that are still fresh are not fetched again. */
  'catalogue.get': { params: OfServer & { readonly reload?: boolean }; result: InspectedCatalogue };
  'resources.subscribe': { params: OfServer & { readonly uri: string }; result: ServerView };
  'resources.unsubscribe': { params: OfServer & { readonly uri: string }; result: ServerView };
  'completion.complete': { params: CompletionRequest; result: CompletionView };

  /** Reads an app and opens a sandbox for it. */
  'apps.open': { params: OpenApp; result: AppView };
  /** Puts a message between the page and an app into the timeline. */
  'apps.record': { params: AppMessage; result: Nothing };
  'apps.close': { params: { readonly view: string }; result: Nothing };

  /** Answers when the call has its outcome; progress and questions come as events meanwhile. */
  'calls.run': { params: CallRequest; result: CallOutcome };
  /** Gives a call that runs more time before it is given up: so many milliseconds from now, or 0 for no limit. */
  'calls.extend': {
    params: { readonly callId: string; readonly timeoutMs: number };
    result: { readonly extended: boolean };
  };
  /** The outcome of a call that has ended. */
  'calls.outcome': { params: { readonly callId: string }; result: CallOutcome };
  /** Makes a past call again, as it was; `callId` is that of the new call. */
  'calls.again': { params: { readonly callId: string; readonly past: string }; result: CallOutcome };
  'calls.clear': { params: Nothing; result: Nothing };
  'calls.cancel': { params: { readonly callId: string }; result: { readonly cancelled: boolean } };
  'calls.save': {
    params: {
      readonly name: string;
      readonly server: ServerId;
      readonly target: CallTarget;
      readonly collection?: string;
    };
    result: SavedCall;
  };
  /** Saved calls as a file for `plumb test`: those of a collection, or all of them. */
  'calls.export': { params: { readonly collection?: string }; result: FileAnswer };
  'calls.forget': { params: { readonly id: string }; result: Nothing };

  /** Stops waiting for the task that a call became; the task goes on. */
  'calls.leave': { params: { readonly callId: string }; result: { readonly left: boolean } };

  /**
   * Asks for the status of tasks that no call follows, at the interval of the server. `reload` asks for all of them, and
   * for the list of tasks where the server has one.
   */
  'tasks.refresh': { params: OfServer & { readonly reload?: boolean }; result: Nothing };
  /** A task that was begun elsewhere, by its id. To follow it, make a call of the kind `task`. */
  'tasks.add': { params: OfServer & { readonly id: string }; result: Nothing };
  'tasks.cancel': { params: OfServer & { readonly id: string }; result: Nothing };
  /** Takes it from the list; the server is not asked. */
  'tasks.forget': { params: OfServer & { readonly id: string }; result: Nothing };

  /** Reads a file of a skill, and compares it with the entry. */
  'skills.read': {
    params: OfServer & { readonly skill: string; readonly uri: string };
    result: SkillFileView;
  };
  /** The direct children of a directory, where the server can list directories. */
  'skills.directory': {
    params: OfServer & { readonly uri: string };
    result: { readonly resources: readonly Resource[] };
  };

  /** What is typed is the process's: another page, or the same one later, goes on with it. Null forgets it. */
  'drafts.set': {
    params: { readonly place: string; readonly value: unknown; readonly page: string };
    result: Nothing;
  };
  'pins.set': { params: { readonly seqs: readonly number[] }; result: Nothing };

  /** `accepted` is false when the question was answered elsewhere or is no longer wanted. */
  'asks.answer': {
    params: { readonly id: string; readonly answer: AskAnswer };
    result: { readonly accepted: boolean };
  };

  'timeline.query': { params: TimelineQuery; result: TimelinePage };
  'timeline.get': {
    params: { readonly seqs: readonly number[] };
    /** Those that are still kept, in the order asked for; at most 500. */
    result: { readonly messages: readonly MessageDetail[] };
  };
  /** The position of a message among those that match, for scrolling to it. */
  'timeline.locate': {
    params: Pick<TimelineQuery, 'filter' | 'rows'> & { readonly seq: number };
    result: { readonly offset: number | null };
  };
  'timeline.clear': { params: Nothing; result: TimelineTotals };
  'timeline.record': { params: { readonly recording: boolean }; result: TimelineTotals };
  'timeline.export': { params: ExportRequest; result: FileAnswer };
  /** The text of a file that `timeline.export` wrote: JSON lines, or HAR. */
  'timeline.import': { params: { readonly name: string; readonly text: string }; result: ImportSummary };
  /** Sends the request of a recorded message again, as it was or with other params, to its server or another one. */
  'timeline.replay': {
    params: {
      readonly callId: string;
      readonly seq: number;
      readonly server?: ServerId;
      readonly params?: JsonObject;
    };
    result: CallOutcome;
  };

  'figures.get': { params: Nothing; result: { readonly figures: readonly Figures[] } };

  'auth.get': { params: OfServer; result: AuthFlow };
  /** Logs in: the page opens `loginUrl` of the flow that the events report. Answers when that is decided. */
  'auth.login': { params: OfServer & { readonly scopes?: readonly string[] }; result: AuthFlow };
  /** Gives up a login that waits for its person. */
  'auth.cancel': { params: OfServer; result: AuthFlow };
  'auth.logout': { params: OfServer; result: AuthFlow };

  'comply.start': { params: ComplyStart; result: ComplyRun };
  'comply.stop': { params: { readonly run: string }; result: ComplyRun };
  'comply.get': { params: { readonly run: string }; result: ComplyRun };
  'comply.report': {
    params: {
      readonly run: string;
      readonly format: 'html' | 'json' | 'junit' | 'sarif' | 'markdown' | 'tap' | 'text' | 'badge';
    };
    result: FileAnswer;
  };
}

export type CommandName = keyof Commands;
export type CommandParams<C extends CommandName> = Commands[C]['params'];
export type CommandResult<C extends CommandName> = Commands[C]['result'];
