/**
 * The servers that users added, kept for the next run: addresses and settings in one file, values that may be secret
 * (variables, headers, the secret of an OAuth client) in another. Both are the user's alone.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { findRevision } from '../../protocol/revisions/index.js';
import { replaceFileSync } from '../../transports/stdio/replace-file.js';
import type { InspectedServerSettings } from '../api.js';
import type { InspectedTarget } from './target.js';

const SERVERS = 'inspector-servers.json';
const SECRETS = 'inspector-secrets.json';
const MAX_SAVED = 200;

export interface SavedServer {
  readonly name: string;
  readonly target: InspectedTarget;
  readonly pinned: string | null;
  readonly settings: InspectedServerSettings;
}

export class SavedServers {
  /** Without a folder nothing is kept. */
  readonly #folder: string | undefined;
  /** Of the file, and not loaded in this run: they stay in the file. */
  #others: readonly SavedServer[] | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  load(): readonly SavedServer[] {
    this.#others = [];
    return this.#read();
  }

  save(servers: readonly SavedServer[]): void {
    if (this.#folder === undefined) return;
    this.#others ??= this.#read();
    const names = new Set(servers.map(({ name }) => name));
    const all = [...this.#others.filter(({ name }) => !names.has(name)), ...servers].slice(-MAX_SAVED);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    write(join(this.#folder, SECRETS), {
      secrets: Object.fromEntries(all.map((each) => [each.name, secretsOf(each)])),
    });
    write(join(this.#folder, SERVERS), { servers: all.map(withoutSecrets) });
  }

  #read(): readonly SavedServer[] {
    if (this.#folder === undefined) return [];
    const { servers } = read(join(this.#folder, SERVERS));
    const { secrets } = read(join(this.#folder, SECRETS));
    const known = isRecord(secrets) ? secrets : {};
    return (Array.isArray(servers) ? servers : []).flatMap((entry) => {
      const server = isRecord(entry) ? parseServer(entry, known) : undefined;
      return server === undefined ? [] : [server];
    });
  }
}

function secretsOf({ target, settings }: SavedServer): JsonObject {
  const secret = settings.oauth?.clientSecret;
  return {
    ...(target.kind === 'url' ? { headers: { ...target.headers } } : { env: { ...target.env } }),
    ...(secret === undefined ? {} : { clientSecret: secret }),
  };
}

function withoutSecrets({ name, target, pinned, settings }: SavedServer): JsonObject {
  const { oauth, ...rest } = settings;
  const { clientSecret: _, ...shown } = oauth ?? {};
  const address =
    target.kind === 'url'
      ? { url: target.url }
      : {
          command: target.command,
          args: [...target.args],
          ...(target.cwd === undefined ? {} : { cwd: target.cwd }),
        };
  return {
    name,
    ...address,
    revision: pinned,
    settings: { ...rest, ...(oauth === undefined ? {} : { oauth: shown }) },
  };
}

function parseServer(entry: JsonObject, secrets: JsonObject): SavedServer | undefined {
  const { name, url, command, args, cwd, revision } = entry;
  if (typeof name !== 'string') return undefined;
  const own = secrets[name];
  const secret: JsonObject = isRecord(own) ? own : {};
  const pinned = typeof revision === 'string' && findRevision(revision) !== undefined ? revision : null;
  const settings = parseSettings(isRecord(entry.settings) ? entry.settings : {}, secret);
  if (typeof url === 'string' && URL.canParse(url)) {
    return { name, pinned, settings, target: { kind: 'url', url, headers: strings(secret.headers) } };
  }
  if (typeof command !== 'string') return undefined;
  const words = Array.isArray(args) ? args.filter((word) => typeof word === 'string') : [];
  const target: InspectedTarget = {
    kind: 'command',
    command,
    args: words,
    env: strings(secret.env),
    ...(typeof cwd === 'string' ? { cwd } : {}),
  };
  return { name, pinned, settings, target };
}

function parseSettings(value: JsonObject, { clientSecret }: JsonObject): InspectedServerSettings {
  const { startTimeoutMs, callTimeoutMs, oauth } = value;
  const given: JsonObject = isRecord(oauth) ? oauth : {};
  const { clientId, issuer, resource, scopes } = given;
  return {
    ...(typeof startTimeoutMs === 'number' ? { startTimeoutMs } : {}),
    ...(typeof callTimeoutMs === 'number' ? { callTimeoutMs } : {}),
    ...(isRecord(oauth)
      ? {
          oauth: {
            ...(typeof clientId === 'string' ? { clientId } : {}),
            ...(typeof clientSecret === 'string' ? { clientSecret } : {}),
            ...(typeof issuer === 'string' ? { issuer } : {}),
            ...(typeof resource === 'string' ? { resource } : {}),
            ...(Array.isArray(scopes) ? { scopes: scopes.filter((scope) => typeof scope === 'string') } : {}),
          },
        }
      : {}),
  };
}

function strings(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** What cannot be read is left alone until something is saved. */
function read(path: string): JsonObject {
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(content) ? content : {};
  } catch {
    return {};
  }
}

/** Never half written, and never readable for others. */
function write(path: string, content: JsonObject): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  replaceFileSync(temporary, path);
}
