/** What the timeline is narrowed down to, as its user chose it. */

import type { MessageFilter, MessageKind, MessageSource } from '../../../api.js';

export interface FilterChoice {
  readonly text: string;
  readonly server: string;
  readonly kind: KindChoice;
  readonly method: string;
  readonly source: '' | MessageSource;
  readonly failedOnly: boolean;
  readonly slowerThanMs: number;
  /** Only the messages of one call. */
  readonly group?: number;
  readonly run?: string;
}

export type KindChoice = '' | 'requests' | 'answers' | 'notifications' | 'http' | 'events' | 'malformed';

const KINDS: Readonly<Record<Exclude<KindChoice, ''>, readonly MessageKind[]>> = {
  requests: ['request'],
  answers: ['result', 'error'],
  notifications: ['notification'],
  http: ['http'],
  events: ['event'],
  malformed: ['malformed', 'batch'],
};

export const NO_FILTER: FilterChoice = {
  text: '',
  server: '',
  kind: '',
  method: '',
  source: '',
  failedOnly: false,
  slowerThanMs: 0,
};

export function toFilter(choice: FilterChoice): MessageFilter {
  const { text, server, kind, method, source, failedOnly, slowerThanMs, group, run } = choice;
  return {
    ...(text.trim() === '' ? {} : { text: text.trim() }),
    ...(server === '' ? {} : { servers: [server] }),
    ...(kind === '' ? {} : { kinds: KINDS[kind] }),
    ...(method === '' ? {} : { methods: [method] }),
    ...(source === '' ? {} : { sources: [source] }),
    ...(failedOnly ? { failedOnly } : {}),
    ...(slowerThanMs === 0 ? {} : { slowerThanMs }),
    ...(group === undefined ? {} : { group }),
    ...(run === undefined ? {} : { run }),
  };
}

export function isFiltered(choice: FilterChoice): boolean {
  return Object.keys(toFilter(choice)).length > 0;
}
