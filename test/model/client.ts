/** A client of the handshake era as it should be: it comes back for its streams, and calls again what failed. */

import type { Exchange, ModelRequest } from './exchange.js';
import type { World } from './world.js';

const RETRY_MS = 100;
const REVISION = '2025-11-25';

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Rejects a call of which nobody knows whether it ran. */
class CallLost extends Error {}

interface Answer {
  readonly status: number;
  readonly session: string | undefined;
  readonly body: string;
}

export class ModelClient {
  readonly name: string;
  readonly #world: World;
  readonly #heard: (message: Message) => void;
  readonly #forgets: boolean;
  readonly #streams: number;
  #session: string | undefined;
  #calls = 0;
  #closed = false;

  /**
   * `forgets`: it names the last event of its last connection only, as the official SDK does, and opens a new stream
   * where a connection was made and brought none. `streams`: how many it has at the same time, as that one comes to
   * have when it forgets the place of another stream.
   */
  constructor(
    world: World,
    name: string,
    heard: (message: Message) => void,
    { forgets = false, streams = 1 }: { readonly forgets?: boolean; readonly streams?: number } = {},
  ) {
    this.#forgets = forgets;
    this.#streams = streams;
    this.#world = world;
    this.name = name;
    this.#heard = heard;
  }

  /** Opens the session and its stream. */
  async open(): Promise<void> {
    const params = {
      protocolVersion: REVISION,
      capabilities: { elicitation: {} },
      clientInfo: { name: this.name, version: '1' },
    };
    const opened = await this.#persist(() => this.#post({ id: 'init', method: 'initialize', params }));
    this.#session = opened.session;
    await this.#persist(() => this.#post({ method: 'notifications/initialized' }));
    for (let stream = 0; stream < this.#streams; stream += 1) void this.#listen();
  }

  close(): void {
    this.#closed = true;
  }

  /** Calls until there is an answer. */
  call(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Message> {
    return this.#persist(() => this.once(method, params));
  }

  /** Rejects with `CallLost` where nobody knows whether it ran. */
  async once(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<Message> {
    this.#calls += 1;
    const id = `${this.name}.${this.#calls}`;
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    let answer = await this.#stream({ method: 'POST', headers: this.#headers(), body }, id);
    while (answer.result === undefined) {
      if (answer.last === undefined) throw new CallLost('The connection was lost before the first event');
      await this.#world.steps.delay(RETRY_MS);
      const headers = { ...this.#headers(), 'last-event-id': answer.last };
      const { last } = answer;
      answer = await this.#stream({ method: 'GET', headers }, id);
      answer = { ...answer, last: answer.last ?? last };
    }
    if (answer.result.error !== undefined) throw new CallLost(answer.result.error.message);
    return answer.result;
  }

  async #listen(): Promise<void> {
    for (let last: string | undefined; !this.#closed; ) {
      const resumed: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
      const headers = { ...this.#headers(), ...resumed };
      const stream = await this.#stream({ method: 'GET', headers }, undefined).catch(refused);
      last = stream.last ?? (this.#forgets && stream.opened === true ? undefined : last);
      await this.#world.steps.delay(RETRY_MS);
    }
  }

  /** Follows an answer, JSON or events, until it ends or the awaited result is there. */
  #stream(
    request: ModelRequest,
    awaited: string | undefined,
  ): Promise<{ result?: Message | undefined; last: string | undefined; opened?: boolean }> {
    const exchange = this.#world.request(request);
    return new Promise((resolve, reject) => {
      let last: string | undefined;
      let result: Message | undefined;
      let isEvents = false;
      let opened = false;
      let rest = '';
      const ids = new Set<string>();
      const take = (data: string): void => {
        const message: Message = JSON.parse(data);
        if (awaited !== undefined && message.id === awaited && message.method === undefined) result = message;
        else this.#hear(message);
      };
      exchange.hear({
        head: ({ status, headers }) => {
          isEvents = headers['Content-Type'] === 'text/event-stream';
          opened = true;
          if (status >= 400) reject(new CallLost(`HTTP ${status}`));
        },
        chunk: (text) => {
          rest += text;
          if (!isEvents) return;
          const events = rest.split('\n\n');
          rest = events.pop() ?? '';
          for (const event of events) {
            const { id, data } = parseEvent(event);
            last = id ?? last;
            if (data === '') continue;
            if (id !== undefined && ids.has(id)) this.#world.violations.push(`${this.name} got ${id} twice`);
            if (id !== undefined) ids.add(id);
            take(data);
          }
        },
        end: (whole) => {
          if (!isEvents && whole && rest !== '') take(rest);
          resolve({ result, last, opened });
        },
      });
    });
  }

  #hear(message: Message): void {
    if (message.method === 'elicitation/create') {
      const answer = { action: 'accept', content: { name: this.name } };
      void this.#persist(() => this.#post({ id: message.id, result: answer }));
    }
    this.#heard(message);
  }

  async #post(message: object): Promise<Answer> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const answer = await collect(this.#world.request({ method: 'POST', headers: this.#headers(), body }));
    if (answer.status >= 400) throw new CallLost(`HTTP ${answer.status}`);
    return answer;
  }

  #headers(): Record<string, string> {
    return {
      host: 'localhost',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
    };
  }

  async #persist<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof CallLost)) throw error;
        await this.#world.steps.delay(RETRY_MS);
      }
    }
  }
}

/** A stream that was refused says nothing. */
function refused(error: unknown): { last: undefined; opened: boolean } {
  if (error instanceof CallLost) return { last: undefined, opened: false };
  throw error;
}

function collect(exchange: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let [status, session, body] = [0, undefined as string | undefined, ''];
    exchange.hear({
      head: (head) => {
        status = head.status;
        session = head.headers['Mcp-Session-Id'];
      },
      chunk: (text) => {
        body += text;
      },
      end: (whole) =>
        whole ? resolve({ status, session, body }) : reject(new CallLost('The connection broke')),
    });
  });
}

function parseEvent(event: string): { id: string | undefined; data: string } {
  let id: string | undefined;
  const data: string[] = [];
  for (const line of event.split('\n')) {
    if (line.startsWith('id:')) id = line.slice(3).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trim());
  }
  return { id, data: data.join('\n') };
}
