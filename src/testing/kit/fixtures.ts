/** Traffic of a real server as a file, with secrets masked, and a server that answers from such a file. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createChain } from '../../chain/builder.js';
import { canonicalText } from '../../chain/lock/surface.js';
import { connect } from '../../client/connect.js';
import type { TransportSource } from '../../client/target.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { record } from '../../middleware/record.js';
import { receivedError } from '../../protocol/errors.js';
import { hint, isSecretName, maskLine } from '../../protocol/secrets.js';
import type { Server } from '../../server/server.js';
import { createServer } from '../../server/server.js';
import { type TestTarget, targetOf } from './sdk-source.js';

export interface RecordingOptions {
  /** Further values that must not be in the file. */
  readonly secrets?: readonly string[] | undefined;
}

export interface TrafficRecording extends TransportSource {
  /** One exchange a line, masked. */
  readonly lines: readonly string[];
  save(file: string): Promise<void>;
  close(): Promise<void>;
}

/** Stands before the server and writes down what it answers: `connect(recordTraffic(server))`. */
export function recordTraffic(target: TestTarget, { secrets = [] }: RecordingOptions = {}): TrafficRecording {
  const lines: string[] = [];
  const front = createChain()
    .use(record({ write: (line) => void lines.push(maskedLine(line, secrets)) }))
    .to(targetOf(target));
  return {
    lines,
    transport: () => front.transport(),
    save: async (file) => {
      const kept = [...lines];
      const client = await connect(front);
      try {
        const { server, capabilities, instructions } = client;
        const head = { fixture: 'plumb', server, capabilities, instructions };
        writeFileSync(file, `${[maskedLine(JSON.stringify(head), secrets), ...kept].join('\n')}\n`);
      } finally {
        await client.close();
      }
    },
    close: () => front.close(),
  };
}

/** A server that answers as the recorded one did; the same call twice gets its answers in turn. */
export function replayTraffic(source: string | readonly string[]): Server {
  const lines = typeof source === 'string' ? readFileSync(source, 'utf8').split('\n') : source;
  const entries = lines.filter((line) => line.trim() !== '').map((line): unknown => JSON.parse(line));
  const head =
    entries.find((entry): entry is JsonObject => isRecord(entry) && entry.fixture === 'plumb') ?? {};
  const info = isRecord(head.server) ? head.server : {};
  const server = createServer({
    name: String(info.name ?? 'recorded'),
    version: String(info.version ?? '1'),
    capabilities: isRecord(head.capabilities) ? head.capabilities : { tools: {}, resources: {}, prompts: {} },
    ...(typeof head.instructions === 'string' ? { instructions: head.instructions } : {}),
  });
  const answers = new Map<string, JsonObject[]>();
  for (const entry of entries) {
    if (!isRecord(entry) || typeof entry.method !== 'string' || !isRecord(entry.params)) continue;
    const key = keyOf(entry.method, entry.params);
    answers.set(key, [...(answers.get(key) ?? []), entry]);
  }
  server.use({
    request: (call, next) => {
      const { _meta: _, ...params } = call.params;
      const recorded = answers.get(keyOf(call.method, params));
      const entry = recorded !== undefined && recorded.length > 1 ? recorded.shift() : recorded?.[0];
      if (entry === undefined) return next();
      const { result, error } = entry;
      if (isRecord(error) && typeof error.code === 'number')
        throw receivedError({ ...error, code: error.code, message: String(error.message) });
      return isRecord(result) ? result : next();
    },
  });
  return server;
}

/** By the masked text: what was a secret when it was recorded is one when it is asked for again. */
function keyOf(method: string, params: JsonObject): string {
  return `${method} ${canonicalText(masked(params, []))}`;
}

function maskedLine(line: string, secrets: readonly string[]): string {
  return JSON.stringify(masked(JSON.parse(line), secrets));
}

/** Values of fields whose names say that they are secret, and credentials within texts. */
function masked(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return maskLine(value, secrets);
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      typeof item === 'string' && isSecretName(name) && !isToken(name) ? hint(item) : masked(item, secrets),
    ]),
  );
}

/** Fields of the protocol that only sound like secrets. */
function isToken(name: string): boolean {
  return name === 'progressToken';
}
