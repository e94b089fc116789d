/** The parameters of commands, which come over HTTP: each field is looked at before it is used. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { ElicitValue } from '../protocol/model/elicitation.js';
import { LOG_LEVELS, type LogLevel } from '../protocol/model/logging.js';
import type { Root } from '../protocol/model/roots.js';
import type { CreateMessageResult } from '../protocol/model/sampling.js';
import type {
  AddServer,
  AskAnswer,
  CallTarget,
  CompletionRequest,
  EditServer,
  InspectedServerSettings,
  MessageFilter,
  TimelineQuery,
} from './api.js';
import { invalid } from './failure.js';

const MAX_TEXT = 64 * 1024;

export function text(params: JsonObject, name: string, maxLength: number = MAX_TEXT): string {
  const value = params[name];
  if (typeof value !== 'string') throw invalid(`"${name}" has to be a text`);
  if (value.length > maxLength) throw invalid(`"${name}" is longer than ${maxLength} characters`);
  return value;
}

export function number(params: JsonObject, name: string): number {
  const value = params[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(`"${name}" has to be a number`);
  return value;
}

export function flag(params: JsonObject, name: string): boolean {
  const value = params[name];
  if (typeof value !== 'boolean') throw invalid(`"${name}" has to be true or false`);
  return value;
}

export function object(params: JsonObject, name: string): JsonObject {
  const value = params[name];
  if (!isRecord(value)) throw invalid(`"${name}" has to be an object`);
  return value;
}

function list(params: JsonObject, name: string): readonly unknown[] {
  const value = params[name];
  if (!Array.isArray(value)) throw invalid(`"${name}" has to be a list`);
  return value;
}

export function texts(params: JsonObject, name: string): readonly string[] {
  return list(params, name).map((value) => {
    if (typeof value !== 'string') throw invalid(`"${name}" has to be a list of texts`);
    return value;
  });
}

export function numbers(params: JsonObject, name: string): readonly number[] {
  return list(params, name).map((value) => {
    if (typeof value !== 'number') throw invalid(`"${name}" has to be a list of numbers`);
    return value;
  });
}

function textMap(params: JsonObject, name: string): Record<string, string> {
  const entries = Object.entries(object(params, name)).map(([key, value]): [string, string] => {
    if (typeof value !== 'string') throw invalid(`"${name}" has to be an object of texts`);
    return [key, value];
  });
  return Object.fromEntries(entries);
}

/** What `read` makes of a field that may be absent. */
export function optional<K extends string, T>(
  params: JsonObject,
  name: K,
  read: (params: JsonObject, name: string) => T,
): { readonly [P in K]?: T } {
  const present = params[name] !== undefined && params[name] !== null;
  return present ? ({ [name]: read(params, name) } as { readonly [P in K]?: T }) : {};
}

export function oneOf<T extends string>(params: JsonObject, name: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === params[name]);
  if (found === undefined) throw invalid(`"${name}" has to be one of ${known.join(', ')}`);
  return found;
}

export function addServer(params: JsonObject): AddServer {
  const common = {
    ...optional(params, 'name', text),
    ...optional(params, 'revision', text),
    ...optional(params, 'connect', flag),
    ...optional(params, 'settings', settings),
  };
  switch (oneOf(params, 'kind', ['url', 'command', 'config'])) {
    case 'url':
      return { ...common, kind: 'url', url: text(params, 'url'), ...optional(params, 'headers', textMap) };
    case 'command':
      return {
        ...common,
        kind: 'command',
        command: text(params, 'command'),
        ...optional(params, 'args', texts),
        ...optional(params, 'cwd', text),
        ...optional(params, 'env', textMap),
      };
    case 'config':
      return { ...common, kind: 'config', path: text(params, 'path'), server: text(params, 'server') };
  }
}

export function editServer(params: JsonObject): EditServer {
  const given = addServer(params);
  if (given.kind === 'config') throw invalid('"kind" has to be one of url, command');
  return { ...given, server: text(params, 'server') };
}

function settings(params: JsonObject, name: string): InspectedServerSettings {
  const given = object(params, name);
  return {
    ...optional(given, 'startTimeoutMs', duration),
    ...optional(given, 'callTimeoutMs', duration),
    ...optional(given, 'oauth', (outer, inner) => {
      const oauth = object(outer, inner);
      return {
        ...optional(oauth, 'clientId', text),
        ...optional(oauth, 'clientSecret', text),
        ...optional(oauth, 'issuer', text),
        ...optional(oauth, 'resource', text),
        ...optional(oauth, 'scopes', texts),
      };
    }),
  };
}

function duration(params: JsonObject, name: string): number {
  const value = number(params, name);
  if (value < 0) throw invalid(`"${name}" has to be 0 or more milliseconds`);
  return value;
}

export function callTarget(params: JsonObject): CallTarget {
  const target = object(params, 'target');
  const kind = oneOf(target, 'kind', ['tool', 'task', 'resource', 'prompt', 'raw', 'notification']);
  switch (kind) {
    case 'tool':
      return {
        kind: 'tool',
        name: text(target, 'name'),
        arguments: object(target, 'arguments'),
        ...optional(target, 'task', flag),
      };
    case 'task':
      return { kind: 'task', id: text(target, 'id', 1_000) };
    case 'resource':
      return { kind: 'resource', uri: text(target, 'uri') };
    case 'prompt':
      return { kind: 'prompt', name: text(target, 'name'), arguments: textMap(target, 'arguments') };
    case 'raw':
    case 'notification':
      return { kind, method: text(target, 'method'), params: object(target, 'params') };
  }
}

export function completion(params: JsonObject): CompletionRequest {
  const ref = object(params, 'ref');
  const argument = object(params, 'argument');
  return {
    server: text(params, 'server'),
    ref:
      oneOf(ref, 'type', ['ref/prompt', 'ref/resource']) === 'ref/prompt'
        ? { type: 'ref/prompt', name: text(ref, 'name') }
        : { type: 'ref/resource', uri: text(ref, 'uri') },
    argument: { name: text(argument, 'name'), value: text(argument, 'value') },
    ...optional(params, 'settled', textMap),
  };
}

/** The client checks what is inside before it sends it on. */
export function askAnswer(params: JsonObject): AskAnswer {
  const answer = object(params, 'answer');
  const kind = oneOf(answer, 'kind', ['form', 'url', 'sampling', 'roots', 'refuse']);
  if (kind === 'refuse') return { kind, ...optional(answer, 'message', text) };
  if (kind === 'roots') return { kind, roots: roots(answer) };
  const result = object(answer, 'result');
  if (kind === 'sampling') {
    if (!isMessageResult(result)) throw invalid('A sampling answer needs a role, a model and content');
    return { kind, result };
  }
  const action = oneOf(result, 'action', ['accept', 'decline', 'cancel']);
  const { content } = result;
  if (content === undefined) return { kind, result: { action } };
  if (!isFormContent(content))
    throw invalid('The content of an answer holds texts, numbers, booleans and lists of texts');
  return { kind, result: { action, content } };
}

function isMessageResult(value: JsonObject): value is CreateMessageResult {
  const { role, model, content } = value;
  const blocks = Array.isArray(content) ? content : [content];
  return (
    (role === 'assistant' || role === 'user') &&
    typeof model === 'string' &&
    blocks.every((block) => isRecord(block) && typeof block.type === 'string')
  );
}

function isFormContent(value: unknown): value is Record<string, ElicitValue> {
  if (!isRecord(value)) return false;
  return Object.values(value).every(
    (field) =>
      ['string', 'number', 'boolean'].includes(typeof field) ||
      (Array.isArray(field) && field.every((item) => typeof item === 'string')),
  );
}

export function roots(params: JsonObject): Root[] {
  return list(params, 'roots').map((value) => {
    if (!isRecord(value)) throw invalid('A root has to be an object');
    const uri = text(value, 'uri');
    if (!uri.startsWith('file://')) throw invalid(`A root is a file:// URI, not ${JSON.stringify(uri)}`);
    return { uri, ...optional(value, 'name', text) };
  });
}

export function logLevel(params: JsonObject): LogLevel {
  return oneOf(params, 'level', LOG_LEVELS);
}

export function filter(params: JsonObject): { readonly filter?: MessageFilter } {
  return optional(params, 'filter', (outer, name): MessageFilter => {
    const given = object(outer, name);
    return {
      ...optional(given, 'servers', texts),
      ...optional(given, 'sources', listOf(['inspector', 'chain', 'validator', 'app', 'import'])),
      ...optional(given, 'hops', listOf(['direct', 'client', 'upstream'])),
      ...optional(given, 'directions', listOf(['to-server', 'to-client'])),
      ...optional(
        given,
        'kinds',
        listOf(['request', 'notification', 'result', 'error', 'batch', 'malformed', 'http', 'event']),
      ),
      ...optional(given, 'methods', texts),
      ...optional(given, 'text', text),
      ...optional(given, 'failedOnly', flag),
      ...optional(given, 'slowerThanMs', number),
      ...optional(given, 'group', number),
      ...optional(given, 'run', text),
      ...optional(given, 'after', number),
      ...optional(given, 'before', number),
    };
  });
}

export function timelineQuery(params: JsonObject): TimelineQuery {
  return {
    ...filter(params),
    ...rows(params),
    offset: number(params, 'offset'),
    limit: number(params, 'limit'),
  };
}

export function rows(params: JsonObject): Pick<TimelineQuery, 'rows'> {
  return optional(params, 'rows', (given, name) => oneOf(given, name, ['messages', 'exchanges']));
}

function listOf<const T extends string>(
  known: readonly T[],
): (params: JsonObject, name: string) => readonly T[] {
  return (params, name) =>
    texts(params, name).map((value) => {
      const found = known.find((candidate) => candidate === value);
      if (found === undefined) throw invalid(`"${name}" knows only ${known.join(', ')}`);
      return found;
    });
}
