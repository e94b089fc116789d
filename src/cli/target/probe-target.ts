/** The target of a command as the validator wants it. */

import type { ValidationTarget } from '../../validate/target.js';
import { commandTarget, urlTarget } from '../../validate/target.js';
import { resolveTarget, type TargetFlags } from './target.js';

export interface ProbedTarget {
  readonly target: ValidationTarget;
  /** How long it may take to start, where its config entry has a limit; in milliseconds. */
  readonly connectTimeout?: number | undefined;
}

export function probe(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TargetFlags,
  transport: 'http' | 'sse' = 'http',
): ProbedTarget {
  const { target, connectTimeout } = resolveTarget(words, command, flags);
  if ('url' in target) {
    return { target: urlTarget(target.url, { headers: { ...target.headers }, transport }), connectTimeout };
  }
  const { command: program, args = [], cwd, env = {}, inheritEnv = false } = target;
  const server = { command: program, args, env, inheritEnv, ...(cwd === undefined ? {} : { cwd }) };
  return { target: commandTarget(server), connectTimeout };
}
