/** Options that several commands have, once parsed. */

import type { AnswerFlags } from '../answers/given.js';
import { UsageError } from '../failure/failure.js';
import type { TargetFlags } from '../target/target.js';

export interface ConnectFlags {
  /** For the server to start and to agree on a revision, in milliseconds. */
  readonly connectTimeout?: number;
}

export interface ConnectionFlags extends TargetFlags, ConnectFlags {
  /** Which of several logins at a server behind a URL. */
  readonly account?: string;
  readonly revision?: readonly string[];
  /** For each call, in milliseconds. */
  readonly timeout?: number;
  readonly stderr?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** For commands during which a server may ask back. */
export interface AskFlags extends AnswerFlags {
  readonly sampleText?: string;
  readonly root?: readonly string[];
}

export const DEFAULT_TIMEOUT_MS = 30_000;
export const DEFAULT_CONNECT_TIMEOUT_MS = 60_000;

/** How long a server may take to start: the flag, else its entry in a configuration file. */
export function connectLimit(
  { connectTimeout }: ConnectFlags,
  target: { readonly connectTimeout?: number | undefined },
): number {
  return connectTimeout ?? target.connectTimeout ?? DEFAULT_CONNECT_TIMEOUT_MS;
}

/** The user's own limit; without one a silent command is given up sooner than for clients. */
export function startLimit(
  flags: ConnectFlags,
  configured: number | undefined,
): { readonly connectTimeout?: number } {
  const connectTimeout = flags.connectTimeout ?? configured;
  return connectTimeout === undefined ? {} : { connectTimeout };
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['', 1_000],
]);

/** `30`, `1.5s`, `500ms`, `2m` in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(text) ?? [];
  const factor = UNITS.get(unit);
  if (amount === '' || factor === undefined || Number(amount) === 0) {
    throw new UsageError(`"${text}" is not a duration; write 30 (seconds), 500ms or 2m`);
  }
  return Number(amount) * factor;
}

export function formatDuration(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${milliseconds / 1_000} s`;
}

export function parseCount(text: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw new UsageError(`"${text}" is not a number; write a whole number such as 100`);
  return Number(text);
}

/** For options that may be repeated. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** For options that may be repeated, and hold several values between commas. */
export function collectList(value: string, before: readonly string[] = []): string[] {
  return [...before, ...value.split(',').map((item) => item.trim())];
}
