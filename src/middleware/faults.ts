/** Makes calls fail, wait or lose their answer on purpose, to see how the other side bears it. */

import { type Duration, milliseconds } from '../protocol/duration.js';
import { ProtocolError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Layer } from './layer.js';
import { createGlob, subjectOf } from './subject.js';

export interface FaultOptions {
  /** The part of the calls that it befalls, from 0 to 1. Default: all of them. */
  readonly rate?: number | undefined;
  /** Globs of the tools, prompts and URIs that it befalls. Default: all of them. */
  readonly only?: string | readonly string[] | undefined;
  /** How long such a call waits first. Default: 0. */
  readonly delay?: Duration | undefined;
  /** The message of the error; without one, calls are only delayed. */
  readonly error?: string | undefined;
  /** The call is carried out, and its answer lost. */
  readonly after?: boolean | undefined;
  /** From 0 to 1; a seeded one makes runs repeatable. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
}

const OPTIONS: OptionNames<FaultOptions> = {
  rate: true,
  only: true,
  delay: true,
  error: true,
  after: true,
  random: true,
};

/** Makes calls fail or wait at random, for tests: `faults({ rate: 0.1, error: 'out of order' })`. */
export function faults(options: FaultOptions): Layer {
  assertOptionNames('faults', options, OPTIONS);
  const { rate = 1, only = '*', delay = 0, error, after = false, random = Math.random } = options;
  const wait = milliseconds(delay);
  const concerned = createGlob(only);
  return {
    call: async (call, next) => {
      if (!concerned(subjectOf(call) ?? '') || random() >= rate) return next();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      if (error !== undefined && !after) throw new ProtocolError('internal_error', error);
      const result = await next();
      if (error !== undefined) throw new ProtocolError('internal_error', error);
      return result;
    },
  };
}
