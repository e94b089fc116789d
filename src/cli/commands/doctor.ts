import { printable, safeJson, singleLine } from '../../protocol/display.js';
import type { Step } from '../../validate/doctor/step.js';
import { diagnose } from '../../validate/index.js';
import { EXIT_UNREACHABLE } from '../failure/failure.js';
import { type ConnectFlags, startLimit } from '../options/flags.js';
import { createTerminal, type Terminal } from '../output/terminal.js';
import { probe } from '../target/probe-target.js';
import type { TargetFlags } from '../target/target.js';

export interface DoctorFlags extends TargetFlags, ConnectFlags {
  readonly json?: boolean;
}

export async function doctor(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: DoctorFlags,
): Promise<number> {
  const out = createTerminal(process.stdout);
  if (words.length === 0 && command === undefined && flags.config !== undefined) {
    const { examineAll } = await import('./doctor-all.js');
    return examineAll(flags, out);
  }
  const { target, connectTimeout } = probe(words, command, flags);
  const steps = await diagnose(target, {
    ...startLimit(flags, connectTimeout),
    onWaiting: (line) => process.stderr.write(`plumb: ${printable(line)}\n`),
  });
  if (flags.json === true) out.write(`${safeJson(steps, 2)}\n`);
  else for (const step of steps) showStep(step, out);
  return steps.every(({ ok }) => ok) ? 0 : EXIT_UNREACHABLE;
}

const INDENT = ' '.repeat(6);

/** One step, as people read it. */
export function showStep({ name, ok, warning = false, detail, fix, stderr }: Step, out: Terminal): void {
  const verdict = warning
    ? out.style('yellow', 'WARN')
    : ok
      ? out.style('green', 'ok  ')
      : out.style('red', 'FAIL');
  out.write(`${verdict}  ${name.padEnd(24)}  ${singleLine(detail)}\n`);
  if (fix !== undefined) out.write(`${INDENT}${out.style('bold', singleLine(fix))}\n`);
  if (stderr === undefined) return;
  out.write(`${INDENT}stderr of the server:\n`);
  for (const line of stderr.trimEnd().split('\n')) out.write(`${INDENT}  ${printable(line)}\n`);
}
