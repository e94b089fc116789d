import { safeJson, singleLine } from '../../protocol/display.js';
import { diagnose } from '../../validate/index.js';
import { EXIT_UNREACHABLE } from '../failure.js';
import { createTerminal } from '../output/terminal.js';
import { probeTarget } from '../target/probe-target.js';
import type { TargetFlags } from '../target/target.js';

export interface DoctorFlags extends TargetFlags {
  readonly json?: boolean;
}

export async function doctor(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: DoctorFlags,
): Promise<number> {
  const out = createTerminal(process.stdout);
  const steps = await diagnose(probeTarget(words, command, flags));
  if (flags.json === true) out.write(`${safeJson(steps, 2)}\n`);
  else {
    for (const { name, ok, detail, fix } of steps) {
      out.write(
        `${ok ? out.style('green', 'ok  ') : out.style('red', 'FAIL')}  ${name.padEnd(9)}  ${singleLine(detail)}\n`,
      );
      if (fix !== undefined) out.write(`                 ${out.style('bold', singleLine(fix))}\n`);
    }
  }
  return steps.every(({ ok }) => ok) ? 0 : EXIT_UNREACHABLE;
}
