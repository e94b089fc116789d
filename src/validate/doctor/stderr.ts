import type { WireConnection } from '../wire/connection.js';
import { LineConnection } from '../wire/line-pipe.js';
import type { Step } from './step.js';

/** The steps, of which the last that failed carries what the process wrote to stderr. */
export function withStderr(steps: readonly Step[], connection: WireConnection): readonly Step[] {
  const failed = steps.findLastIndex(({ ok }) => !ok);
  if (failed < 0 || !(connection instanceof LineConnection) || connection.stderr === '') return steps;
  const { stderr } = connection;
  return steps.map((step, index) => (index === failed ? { ...step, stderr } : step));
}
