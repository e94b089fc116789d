/** A server as its form holds it: every field is a text. */

import type { AddServer, InspectedServerSettings, OAuthSettings, ServerView } from '../../../api.js';
import { splitWords } from './command-line.js';
import { parseLines } from './name-value-lines.js';

export interface ServerDraft {
  readonly kind: 'url' | 'command';
  readonly name: string;
  readonly url: string;
  readonly headers: string;
  readonly line: string;
  readonly cwd: string;
  readonly env: string;
  readonly revision: string;
  /** In seconds; empty for the default, 0 for no limit. */
  readonly startTimeout: string;
  readonly callTimeout: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly issuer: string;
  readonly scopes: string;
  readonly resource: string;
}

export type DirectServer = Exclude<AddServer, { readonly kind: 'config' }>;

export const NEW_SERVER: ServerDraft = {
  kind: 'url',
  name: '',
  url: '',
  headers: '',
  line: '',
  cwd: '',
  env: '',
  revision: '',
  startTimeout: '',
  callTimeout: '',
  clientId: '',
  clientSecret: '',
  issuer: '',
  scopes: '',
  resource: '',
};

/** What the process shows instead of a value; sent back, the value stays. */
const KEPT = '••••••';

export function draftOf(server: ServerView): ServerDraft {
  const { address, settings, name, pinned } = server;
  const { oauth = {} } = settings;
  const common = {
    ...NEW_SERVER,
    name,
    revision: pinned ?? '',
    startTimeout: seconds(settings.startTimeoutMs),
    callTimeout: seconds(settings.callTimeoutMs),
    clientId: oauth.clientId ?? '',
    clientSecret: oauth.clientSecret ?? '',
    issuer: oauth.issuer ?? '',
    scopes: oauth.scopes?.join(' ') ?? '',
    resource: oauth.resource ?? '',
  };
  if (address.kind === 'url') {
    const headers = Object.entries(address.headers).map(([header, value]) => `${header}: ${value}`);
    return { ...common, kind: 'url', url: address.url, headers: headers.join('\n') };
  }
  return {
    ...common,
    kind: 'command',
    line: [address.command, ...address.args].map(quoted).join(' '),
    cwd: address.cwd ?? '',
    env: address.env.map((variable) => `${variable}=${KEPT}`).join('\n'),
  };
}

export function serverOf(draft: ServerDraft): DirectServer {
  const common = {
    revision: draft.revision || null,
    settings: settingsOf(draft),
    ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
  };
  if (draft.kind === 'url') {
    return { ...common, kind: 'url', url: draft.url.trim(), headers: parseLines(draft.headers, ':') };
  }
  const [command = '', ...args] = splitWords(draft.line);
  return {
    ...common,
    kind: 'command',
    command,
    args,
    env: parseLines(draft.env, '='),
    ...(draft.cwd.trim() === '' ? {} : { cwd: draft.cwd.trim() }),
  };
}

function settingsOf(draft: ServerDraft): InspectedServerSettings {
  const oauth: OAuthSettings = {
    ...given('clientId', draft.clientId),
    ...given('clientSecret', draft.clientSecret),
    ...given('issuer', draft.issuer),
    ...given('resource', draft.resource),
    ...(draft.scopes.trim() === '' ? {} : { scopes: draft.scopes.trim().split(/[\s,]+/) }),
  };
  return {
    ...milliseconds('startTimeoutMs', draft.startTimeout),
    ...milliseconds('callTimeoutMs', draft.callTimeout),
    ...(Object.keys(oauth).length === 0 ? {} : { oauth }),
  };
}

function given<K extends string>(name: K, text: string): { [P in K]?: string } {
  return text.trim() === '' ? {} : ({ [name]: text.trim() } as { [P in K]?: string });
}

function milliseconds<K extends string>(name: K, text: string): { [P in K]?: number } {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) return {};
  return { [name]: value * 1_000 } as { [P in K]?: number };
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? '' : String(ms / 1_000);
}

/** One word of a command line. */
function quoted(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : `"${word.replaceAll(/["\\]/g, '\\$&')}"`;
}
