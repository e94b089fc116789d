/** The target of a command as the validator wants it. */

import { commandTarget, type Target, urlTarget } from '../../validate/index.js';
import { resolveTarget, type TargetFlags } from './target.js';

export function probeTarget(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TargetFlags,
  transport: 'http' | 'sse' = 'http',
): Target {
  const { target } = resolveTarget(words, command, flags);
  if ('url' in target) return urlTarget(target.url, { headers: { ...target.headers }, transport });
  const { command: program, args = [], cwd, env = {}, inheritEnv = false } = target;
  return commandTarget({ command: program, args, env, inheritEnv, ...(cwd === undefined ? {} : { cwd }) });
}
