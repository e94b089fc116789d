/** Apps that pages show: reads them from their server, and records what is said between them and the page. */

import type { Client } from '../../client/index.js';
import { APP_MIME_TYPE } from '../../extensions/apps/apps.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { decodeBase64 } from '../../protocol/base64.js';
import type { AppMessage, AppView, OpenApp } from '../api.js';
import { CommandError, invalid } from '../failure.js';
import { RecordedConversation } from '../recorder/conversation.js';
import type { Recording } from '../recorder/recording.js';
import { appFeatures, appPolicy } from './policy.js';
import { AppSandbox } from './sandbox.js';

const MAX_VIEWS = 50;
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):\d+$/;

export class AppViews {
  readonly #recording: Recording;
  readonly #sandbox = new AppSandbox();
  readonly #conversations = new Map<string, RecordedConversation>();

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  async open(client: Client, { server, uri, host }: OpenApp): Promise<AppView> {
    if (!uri.startsWith('ui://')) throw invalid('The address of an app begins with ui://');
    if (!LOOPBACK.test(host)) throw invalid('Apps are shown by pages of this machine only');
    const { html, ui } = await readApp(client, uri);
    const policy = appPolicy(ui);
    const allow = appFeatures(ui);
    const { id, url } = await this.#sandbox.open({ policy, allow, host });
    const origin = { server, source: 'app', hop: 'direct', connection: 0, transport: 'memory' } as const;
    this.#conversations.set(id, new RecordedConversation(this.#recording, origin));
    const [oldest] = this.#conversations.keys();
    if (this.#conversations.size > MAX_VIEWS && oldest !== undefined) this.close(oldest);
    return { id, url, html, policy, allow, prefersBorder: ui.prefersBorder === true };
  }

  /** The app is the client of the page that hosts it. */
  record({ view, from, message }: AppMessage): void {
    const conversation = this.#conversations.get(view);
    conversation?.hear(from === 'app' ? 'to-server' : 'to-client', JSON.stringify(message));
  }

  close(view: string): void {
    this.#sandbox.forget(view);
    this.#conversations.get(view)?.end();
    this.#conversations.delete(view);
  }

  closeAll(): Promise<void> {
    for (const view of [...this.#conversations.keys()]) this.close(view);
    return this.#sandbox.close();
  }
}

async function readApp(client: Client, uri: string): Promise<{ html: string; ui: JsonObject }> {
  const { contents } = await client.resources.read(uri);
  const content = contents.find((one) => one.uri === uri) ?? contents[0];
  if (content === undefined)
    throw new CommandError(
      502,
      'not_an_app',
      `The server has nothing at ${uri}; it should be the page of an app`,
    );
  if (content.mimeType?.replaceAll(' ', '') !== APP_MIME_TYPE)
    throw new CommandError(
      502,
      'not_an_app',
      `${uri} has the type ${content.mimeType ?? '(none)'}; the page of an app has ${APP_MIME_TYPE}`,
    );
  const html = 'text' in content ? content.text : new TextDecoder().decode(decodeBase64(content.blob));
  const meta: unknown = content._meta;
  const ui = isRecord(meta) && isRecord(meta.ui) ? meta.ui : await listedUi(client, uri);
  return { html, ui };
}

/** Newer servers say it in the list instead. */
async function listedUi(client: Client, uri: string): Promise<JsonObject> {
  const listed = await client.resources.list().catch(() => []);
  const meta: unknown = listed.find((one) => one.uri === uri)?._meta;
  return isRecord(meta) && isRecord(meta.ui) ? meta.ui : {};
}
