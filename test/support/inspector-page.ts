/** What the inspector's page does, without its looks: commands, and the stream of events. */

import { createMemoryTokenStore } from 'plumb-mcp/auth';
import { onTestFinished } from 'vitest';
import type {
  ApiError,
  CallOutcome,
  CallTarget,
  CommandName,
  CommandParams,
  CommandResult,
  InspectorEvent,
  MessageFilter,
  MessageSummary,
  ServerState,
  ServerView,
} from '../../src/inspector/api.js';
import { createInspector, type InspectorOptions, listenInspector } from '../../src/inspector/inspector.js';

type EventOf<T extends InspectorEvent['type']> = Extract<InspectorEvent, { type: T }>;

export class InspectorPage {
  readonly url: URL;
  readonly token: string;
  readonly events: InspectorEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #calls = 0;

  private constructor(url: URL) {
    this.url = url;
    this.token = url.pathname.split('/')[2] ?? '';
  }

  /** An inspector of its own, which goes away with the test. */
  static async open(options: InspectorOptions = {}): Promise<InspectorPage> {
    const inspector = createInspector({ tokens: createMemoryTokenStore(), ...options });
    const listener = await listenInspector(inspector, 0);
    onTestFinished(() => listener.close());
    return InspectorPage.at(listener.url);
  }

  /** A page of an inspector that runs already. */
  static async at(url: URL): Promise<InspectorPage> {
    const page = new InspectorPage(url);
    await page.listen();
    return page;
  }

  async listen(): Promise<void> {
    const response = await fetch(new URL('api/events', this.url), {
      headers: { 'x-plumb-token': this.token },
    });
    if (response.status !== 200 || response.body === null) throw new Error(`events: ${response.status}`);
    void this.#read(response.body);
    await this.event('hello');
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of body) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') this.events.push(JSON.parse(line));
        for (const look of [...this.#waiting]) look();
      }
    } catch {
      // The inspector is gone.
    }
  }

  /** The first event that fits, also one that has come already. */
  event<T extends InspectorEvent['type']>(
    type: T,
    fits: (event: EventOf<T>) => boolean = () => true,
    timeoutMs = 20_000,
  ): Promise<EventOf<T>> {
    const find = (): EventOf<T> | undefined =>
      this.events.find((event): event is EventOf<T> => event.type === type && fits(event as EventOf<T>));
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(look);
        const seen = this.events.slice(-15).map((event) => event.type);
        reject(new Error(`No event "${type}" within ${timeoutMs} ms; the last were ${seen.join(', ')}`));
      }, timeoutMs);
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        clearTimeout(late);
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  post(command: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(new URL(`api/${command}`, this.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-plumb-token': this.token, ...headers },
      body,
    });
  }

  async command<C extends CommandName>(name: C, params: CommandParams<C>): Promise<CommandResult<C>> {
    const response = await this.post(name, JSON.stringify(params));
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${name}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** A command that is refused. */
  async refusal<C extends CommandName>(
    name: C,
    params: CommandParams<C>,
  ): Promise<{ status: number; code: string; message: string }> {
    const response = await this.post(name, JSON.stringify(params));
    const { error }: ApiError = JSON.parse(await response.text());
    return { status: response.status, ...error };
  }

  /** A command that answers with a file. */
  async file(name: 'timeline.export' | 'comply.report', params: object): Promise<string> {
    const response = await this.post(name, JSON.stringify(params));
    if (response.status !== 200) throw new Error(`${name}: ${response.status}`);
    return response.text();
  }

  /** The first server that is ready, which it may have been before this page was opened. */
  async ready(): Promise<ServerView> {
    const { snapshot } = await this.event('hello');
    const isReady = (server: ServerView): boolean => server.state === 'ready';
    return (
      snapshot.servers.find(isReady) ?? (await this.event('server', ({ server }) => isReady(server))).server
    );
  }

  async state(id: string, state: ServerState, timeoutMs?: number): Promise<ServerView> {
    const fits = ({ server }: EventOf<'server'>): boolean => server.id === id && server.state === state;
    return (await this.event('server', fits, timeoutMs)).server;
  }

  /** Adds a server and waits until it is ready, with what was agreed on. */
  async connect(params: CommandParams<'servers.add'>): Promise<ServerView> {
    const { id } = await this.command('servers.add', params);
    const ready = ({ server }: EventOf<'server'>): boolean =>
      server.id === id && server.state === 'ready' && server.session !== undefined;
    return (await this.event('server', ready)).server;
  }

  call(server: string, target: CallTarget, callId = `call-${++this.#calls}`): Promise<CallOutcome> {
    return this.command('calls.run', { callId, server, target });
  }

  async messages(filter: MessageFilter = {}, limit = 1_000): Promise<readonly MessageSummary[]> {
    return (await this.command('timeline.query', { filter, offset: 0, limit })).messages;
  }
}
