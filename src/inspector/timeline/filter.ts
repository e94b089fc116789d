/** Which messages a page wants to see. */

import type { MessageFilter } from '../api.js';
import type { StoredMessage } from './stored.js';

export type Predicate = (message: StoredMessage) => boolean;

/** Undefined where everything matches. */
export function predicateOf(filter: MessageFilter | undefined): Predicate | undefined {
  if (filter === undefined) return undefined;
  const conditions: Predicate[] = [
    ...oneOf(filter.servers, ({ server }) => server),
    ...oneOf(filter.sources, ({ source }) => source),
    ...oneOf(filter.hops, ({ hop }) => hop),
    ...oneOf(filter.directions, ({ direction }) => direction),
    ...oneOf(filter.kinds, ({ kind }) => kind),
    ...methods(filter.methods),
    ...words(filter.text),
    ...when(filter.failedOnly === true, ({ failed }) => failed),
    ...given(
      filter.slowerThanMs,
      (limit) =>
        ({ durationMs }) =>
          (durationMs ?? -1) >= limit,
    ),
    ...given(filter.group, (group) => (message) => message.group === group),
    ...given(filter.run, (run) => (message) => message.run === run),
    ...given(
      filter.after,
      (after) =>
        ({ at }) =>
          at >= after,
    ),
    ...given(
      filter.before,
      (before) =>
        ({ at }) =>
          at <= before,
    ),
  ];
  if (conditions.length === 0) return undefined;
  return (message) => conditions.every((condition) => condition(message));
}

/** Whether a message that did not match may match later, when its answer has come. */
export function changesWithAnswers(filter: MessageFilter): boolean {
  return filter.slowerThanMs !== undefined || filter.failedOnly === true;
}

function when(condition: boolean, predicate: Predicate): Predicate[] {
  return condition ? [predicate] : [];
}

function given<T>(value: T | undefined, create: (value: T) => Predicate): Predicate[] {
  return value === undefined ? [] : [create(value)];
}

function oneOf<T>(wanted: readonly T[] | undefined, read: (message: StoredMessage) => T): Predicate[] {
  if (wanted === undefined || wanted.length === 0) return [];
  const set = new Set(wanted);
  return [(message) => set.has(read(message))];
}

function methods(prefixes: readonly string[] | undefined): Predicate[] {
  if (prefixes === undefined || prefixes.length === 0) return [];
  return [
    ({ method }) =>
      method !== undefined && prefixes.some((prefix) => method === prefix || method.startsWith(prefix)),
  ];
}

/** Every word somewhere; a phrase in quotes as it stands. */
function words(text: string | undefined): Predicate[] {
  const wanted = [...(text ?? '').matchAll(/"([^"]+)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
  return wanted.map((word) => {
    const pattern = new RegExp(word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
    return ({ text: body, method, subject, exchange }) =>
      pattern.test(body) ||
      (method !== undefined && pattern.test(method)) ||
      (subject !== undefined && pattern.test(subject)) ||
      (exchange !== undefined && pattern.test(exchange.url));
  });
}
