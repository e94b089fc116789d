/** The inspector without its HTTP side: what it knows, and what it can do. */

import type { TokenStore } from '../auth/index.js';
import { REVISIONS } from '../protocol/revisions/index.js';
import { PLUMB_VERSION } from '../protocol/version.js';
import type { ChainView, Snapshot } from './api.js';
import { AppViews } from './apps/app-views.js';
import { ServerLogins } from './auth/server-logins.js';
import { MessageChecks } from './checking/message-checks.js';
import { ComplyRuns } from './comply/runs.js';
import { Broadcast, Throttle } from './events.js';
import { PageDesk } from './page-desk.js';
import { Recording } from './recorder/recording.js';
import { SavedCalls } from './saved-calls.js';
import { Asks } from './servers/asks.js';
import { Calls } from './servers/calls.js';
import { type ClientConfigs, NO_CONFIGS } from './servers/configs.js';
import { LogBook } from './servers/logs.js';
import { SavedServers } from './servers/saved-servers.js';
import { Servers } from './servers/servers.js';
import { KnownTasks } from './servers/tasks.js';
import { FigureBook } from './timeline/figures.js';
import { Timeline, type TimelineLimits } from './timeline/timeline.js';

export interface CoreOptions {
  readonly configs?: ClientConfigs | undefined;
  /** The file of saved calls. Default: they are not kept beyond the process. */
  readonly savedCalls?: string | undefined;
  /** The folder of the servers that are kept. Default: they are not kept beyond the process. */
  readonly savedServers?: string | undefined;
  /** Where tokens are kept. Default: the user's own file. */
  readonly tokens?: TokenStore | undefined;
  readonly limits?: TimelineLimits | undefined;
}

/** An answer that is a file. */
export interface FileBody {
  readonly name: string;
  readonly type: string;
  readonly content: Iterable<string>;
}

/** Pages redraw at most this often. */
const TIMELINE_MS = 100;
const FIGURES_MS = 1_000;

export class InspectorCore {
  readonly events: Broadcast = new Broadcast();
  readonly timeline: Timeline;
  readonly recording: Recording;
  readonly apps: AppViews;
  readonly tasks: KnownTasks;
  readonly calls: Calls;
  readonly desk: PageDesk;
  readonly asks: Asks;
  readonly logs: LogBook;
  readonly auth: ServerLogins;
  readonly servers: Servers;
  readonly comply: ComplyRuns;
  readonly saved: SavedCalls;
  readonly configs: ClientConfigs;
  readonly #chains: ChainView[] = [];
  readonly #checks: MessageChecks = new MessageChecks(
    () => this.timeline,
    (request) => this.recording.figures.invalid(request, this.recording.now()),
  );
  readonly #timelineNews: Throttle;
  readonly #figureNews: Throttle;
  /** The smallest seq with news. */
  #from = Number.POSITIVE_INFINITY;

  constructor({ configs = NO_CONFIGS, savedCalls, savedServers, tokens, limits }: CoreOptions = {}) {
    const { emit } = this.events;
    this.#timelineNews = new Throttle(TIMELINE_MS, () => this.#tellTimeline());
    this.#figureNews = new Throttle(FIGURES_MS, () => {
      emit({ type: 'figures', figures: this.recording.figures.all() });
    });
    this.timeline = new Timeline(
      {
        recorded: (message) => this.#checks.add(message),
        touched: ({ group, kind }) => {
          // Where rows are ordered by call, everything after the call may move.
          this.#from = Math.min(this.#from, group);
          this.#timelineNews.request();
          if (kind !== 'notification') this.#figureNews.request();
        },
        changed: () => {
          this.#from = 0;
          this.#timelineNews.request();
        },
      },
      limits,
    );
    this.configs = configs;
    this.recording = new Recording(this.timeline, new FigureBook());
    this.apps = new AppViews(this.recording);
    this.tasks = new KnownTasks(emit);
    this.calls = new Calls(emit, this.tasks);
    this.desk = new PageDesk(emit);
    this.asks = new Asks(
      emit,
      (server, call, task) => this.calls.owning(server, call, task),
      (callId, open) => this.calls.asked(callId, open),
    );
    this.logs = new LogBook(emit);
    this.auth = new ServerLogins({ emit, tokens });
    const { recording, asks, calls, logs, auth } = this;
    this.servers = new Servers(
      { emit, recording, asks, calls, logs, auth },
      configs,
      new SavedServers(savedServers),
    );
    this.comply = new ComplyRuns(emit, this.recording, (server) => auth.headers(server));
    this.saved = new SavedCalls(emit, savedCalls);
  }

  snapshot(): Snapshot {
    return {
      version: PLUMB_VERSION,
      revisions: REVISIONS.map(({ version, lifecycle, clientRequests, clientNotifications }) => ({
        version,
        era: lifecycle,
        requests: [...clientRequests],
        notifications: [...clientNotifications],
      })),
      servers: this.servers.views(),
      chains: this.#chains,
      asks: this.asks.views(),
      calls: this.calls.views(),
      past: this.calls.past.views(),
      tasks: this.tasks.views(),
      drafts: this.desk.drafts(),
      pins: this.desk.pins,
      saved: this.saved.all(),
      logs: this.logs.newest(),
      timeline: this.timeline.totals(),
      figures: this.recording.figures.all(),
      auth: this.auth.views(),
      runs: this.comply.views(),
    };
  }

  nextChain(): string {
    return `chain-${this.#chains.length + 1}`;
  }

  /** A chain whose traffic is recorded under this id; called again when its upstream servers change. */
  watches(chain: ChainView): void {
    const known = this.#chains.findIndex(({ id }) => id === chain.id);
    if (known === -1) this.#chains.push(chain);
    else this.#chains[known] = chain;
    this.events.emit({ type: 'chain', chain });
  }

  /** Names of servers and chains by id, for files. */
  names(): ReadonlyMap<string, string> {
    return new Map([...this.servers.views(), ...this.#chains].map(({ id, name }) => [id, name]));
  }

  async close(): Promise<void> {
    this.#timelineNews.stop();
    this.#figureNews.stop();
    this.#checks.stop();
    this.logs.stop();
    this.asks.withdraw();
    this.calls.cancelAll();
    this.comply.close();
    this.auth.close();
    await this.apps.closeAll();
    await this.servers.close();
    this.events.end();
  }

  #tellTimeline(): void {
    const from = this.#from;
    this.#from = Number.POSITIVE_INFINITY;
    this.events.emit({ type: 'timeline', totals: this.timeline.totals(), from });
  }
}
