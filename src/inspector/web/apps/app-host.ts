/**
 * The host of one app (MCP Apps): answers its requests, forwards what the user allows to the server that it came from,
 * and sends it the arguments and the result of its tool. Messages of anyone but its own frame are ignored.
 */

import { appLinkOf, toolOfApp, uriOfApp } from '../../../protocol/model/apps.js';
import type { AppView, InspectedCatalogue, ServerId } from '../../api.js';
import { isObject } from '../components/json-value.js';
import { command, failureOf } from '../state/api-client.js';
import { newCallId } from '../state/calls.js';

type Tool = InspectedCatalogue['tools']['items'][number];
type Json = Readonly<Record<string, unknown>>;

export type DisplayMode = 'inline' | 'fullscreen';
const MODES: readonly DisplayMode[] = ['inline', 'fullscreen'];
const PROTOCOL = '2026-01-26';
/** What the host gives as an error to its app. */
const REFUSED = -32_000;
const UNKNOWN_METHOD = -32_601;
const MAX_HEIGHT = 2_000;

export interface AppHostEvents {
  /** Whether the app may call this tool now. */
  consent(tool: Tool, args: Json): Promise<boolean>;
  /** Whether the user wants to follow the link. */
  openLink(url: string): Promise<boolean>;
  resized(height: number): void;
  mode(mode: DisplayMode): void;
  /** What the app wants to have said, or known by the model. */
  said(text: string): void;
  initialized(): void;
}

export interface AppHostOptions {
  readonly view: AppView;
  readonly server: ServerId;
  readonly tool: Tool;
  readonly tools: () => readonly Tool[];
  readonly args: Json;
  readonly result: Json;
  readonly theme: () => 'light' | 'dark';
  readonly events: AppHostEvents;
}

export class AppHost {
  readonly #options: AppHostOptions;
  readonly #frame: () => Window | null;
  readonly #origin: string;
  #mode: DisplayMode = 'inline';
  #isReady = false;
  #recorded: Promise<undefined> = Promise.resolve(undefined);
  #nextId = 1;
  /** Requests to the app, by id. */
  readonly #waiting = new Map<unknown, () => void>();

  constructor(options: AppHostOptions, frame: () => Window | null) {
    this.#options = options;
    this.#frame = frame;
    this.#origin = new URL(options.view.url).origin;
  }

  readonly receive = (event: MessageEvent): void => {
    const { source, origin, data } = event;
    if (source === null || source !== this.#frame() || origin !== this.#origin || !isMessage(data)) return;
    if (data.method === 'ui/notifications/sandbox-proxy-ready') {
      this.#post(
        { method: 'ui/notifications/sandbox-resource-ready', params: { html: this.#options.view.html } },
        false,
      );
      return;
    }
    this.#record('app', data);
    if (typeof data.method !== 'string') this.#waiting.get(data.id)?.();
    else if (data.id === undefined) this.#notified(data.method, paramsOf(data));
    else void this.#answer(data.id, data.method, paramsOf(data));
  };

  get mode(): DisplayMode {
    return this.#mode;
  }

  changeMode(mode: DisplayMode): void {
    this.#mode = mode;
    this.#options.events.mode(mode);
    this.#changed({ displayMode: mode });
  }

  themed(): void {
    this.#changed({ theme: this.#options.theme() });
  }

  /** Asks the app to tidy up before it goes; it has a moment for that. Resolves when all of it is recorded. */
  async close(reason: string): Promise<void> {
    if (!this.#isReady) return;
    const id = `host-${this.#nextId}`;
    this.#nextId += 1;
    const answered = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    this.#post({ id, method: 'ui/resource-teardown', params: { reason } });
    await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, 300))]);
    await this.#recorded;
  }

  #notified(method: string, params: Json): void {
    const { events, args, result } = this.#options;
    if (method === 'ui/notifications/initialized' && !this.#isReady) {
      this.#isReady = true;
      events.initialized();
      this.#post({ method: 'ui/notifications/tool-input', params: { arguments: args } });
      this.#post({ method: 'ui/notifications/tool-result', params: result });
    } else if (method === 'ui/notifications/size-changed' && typeof params.height === 'number')
      events.resized(Math.max(40, Math.min(MAX_HEIGHT, Math.ceil(params.height))));
    else if (method === 'notifications/message') events.said(textOf(params.data));
  }

  async #answer(id: unknown, method: string, params: Json): Promise<void> {
    try {
      this.#post({ id, result: await this.#handle(method, params) });
    } catch (error) {
      const code = error instanceof UnknownMethod ? UNKNOWN_METHOD : REFUSED;
      this.#post({ id, error: { code, message: failureOf(error).message } });
    }
  }

  async #handle(method: string, params: Json): Promise<Json> {
    const { events } = this.#options;
    switch (method) {
      case 'ui/initialize':
        return this.#introduction();
      case 'ping':
        return {};
      case 'ui/open-link': {
        const url = String(params.url);
        if (!/^https?:\/\//.test(url)) throw new Error('Only http and https links are opened');
        if (!(await events.openLink(url))) throw new Error('The user did not open the link');
        return {};
      }
      case 'ui/message':
      case 'ui/update-model-context':
        events.said(textOf(params.content ?? params.structuredContent));
        return {};
      case 'ui/request-display-mode': {
        const wanted = MODES.find((mode) => mode === params.mode);
        if (wanted !== undefined) this.changeMode(wanted);
        return { mode: this.#mode };
      }
      case 'tools/call':
        return this.#callTool(params);
      case 'resources/read':
        return this.#readResource(String(params.uri));
      default:
        throw new UnknownMethod(`The host does not know ${method}`);
    }
  }

  async #callTool(params: Json): Promise<Json> {
    const { events, server, tools } = this.#options;
    const tool = toolOfApp(this.#options.tool, tools(), params.name);
    if (tool === undefined) throw new Error(`The server of this app has no tool ${String(params.name)}`);
    if (!appLinkOf(tool).visibility.includes('app'))
      throw new Error(`Apps may not call the tool ${tool.name}`);
    const args = isObject(params.arguments) ? params.arguments : {};
    if (!(await events.consent(tool, args)))
      throw new Error(`The user did not allow the call of ${tool.name}`);
    return run(server, { kind: 'tool', name: tool.name, arguments: { ...args } });
  }

  async #readResource(uri: string): Promise<Json> {
    const address = uriOfApp(this.#options.tool, uri);
    if (address === undefined)
      throw new Error(
        `Behind a gateway, apps may read only ui:// and skill:// resources of their own server, not ${uri}`,
      );
    const result = await run(this.#options.server, { kind: 'resource', uri: address });
    return address === uri ? result : withUri(result, address, uri);
  }

  #introduction(): Json {
    return {
      protocolVersion: PROTOCOL,
      hostInfo: { name: 'plumb-inspector', version: '1' },
      hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, logging: {} },
      hostContext: {
        toolInfo: { tool: this.#options.tool },
        theme: this.#options.theme(),
        displayMode: this.#mode,
        availableDisplayModes: MODES,
        containerDimensions: { maxHeight: MAX_HEIGHT },
        locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        platform: 'web',
      },
    };
  }

  #changed(context: Json): void {
    if (this.#isReady) this.#post({ method: 'ui/notifications/host-context-changed', params: context });
  }

  #post(message: Json, isRecorded = true): void {
    const whole = { jsonrpc: '2.0', ...message };
    this.#frame()?.postMessage(whole, this.#origin);
    if (isRecorded) this.#record('host', whole);
  }

  #record(from: 'app' | 'host', message: Json): void {
    const { view } = this.#options;
    // One after the other, so that they arrive in their order. A timeline that cannot be written to must not end the app.
    this.#recorded = this.#recorded.then(() =>
      command('apps.record', { view: view.id, from, message: { ...message } }).then(
        () => undefined,
        () => undefined,
      ),
    );
  }
}

class UnknownMethod extends Error {}

async function run(
  server: ServerId,
  target:
    | { kind: 'tool'; name: string; arguments: Record<string, unknown> }
    | { kind: 'resource'; uri: string },
): Promise<Json> {
  const outcome = await command('calls.run', { callId: newCallId(), server, target });
  if (outcome.ok) return outcome.result;
  throw new Error(outcome.cancelled ? 'The call was cancelled' : outcome.failure.message);
}

/** What was read, under the URI that the app knows. */
function withUri(result: Json, address: string, uri: string): Json {
  if (!Array.isArray(result.contents)) return result;
  const contents = result.contents.map((content: unknown) =>
    isObject(content) && content.uri === address ? { ...content, uri } : content,
  );
  return { ...result, contents };
}

function isMessage(data: unknown): data is Json {
  return isObject(data) && data.jsonrpc === '2.0';
}

function paramsOf(message: Json): Json {
  return isObject(message.params) ? message.params : {};
}

/** Content comes as blocks, as one block, or as anything at all. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const blocks: readonly unknown[] = Array.isArray(value) ? value : [value];
  return blocks
    .map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : JSON.stringify(block)))
    .join('\n');
}
