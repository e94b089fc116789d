/** `plumb doctor --config FILE`: examines all servers of a configuration. */

import { safeJson, singleLine } from '../../protocol/display.js';
import type { PaintText } from '../../testing/report/terminal.js';
import type { Step } from '../../validate/doctor/step.js';
import { diagnose } from '../../validate/index.js';
import { EXIT_OK, EXIT_UNREACHABLE } from '../failure/failure.js';
import { startLimit } from '../options/flags.js';
import type { Terminal } from '../output/terminal.js';
import { configuredServers, type FleetRow, probeOf, runFleet } from '../test-runs/fleet.js';
import { fleetTable } from '../test-runs/fleet-table.js';
import type { DoctorFlags } from './doctor.js';

function isIll({ values }: FleetRow): boolean {
  return values.verdict === 'FAIL';
}

export async function examineAll(flags: DoctorFlags, out: Terminal): Promise<number> {
  const steps = new Map<string, readonly Step[]>();
  const members = configuredServers(flags.config, flags);
  const rows = await runFleet(members, new AbortController().signal, async (member) => {
    const found = await diagnose(probeOf(member), startLimit(flags, member.connectTimeout));
    steps.set(member.name, found);
    const wrong = found.filter(({ ok }) => !ok);
    const warned = found.filter(({ warning }) => warning === true);
    const [first] = [...wrong, ...warned];
    return {
      verdict: wrong.length > 0 ? 'FAIL' : warned.length > 0 ? 'warn' : 'ok',
      detail: first === undefined ? '' : singleLine(first.detail).slice(0, 60),
      fix: first?.fix === undefined ? '' : singleLine(first.fix).slice(0, 80),
    };
  });
  if (flags.json === true) {
    const servers = rows.map(({ name, failure, elapsedMs }) => ({
      name,
      failure,
      elapsedMs,
      steps: steps.get(name),
    }));
    out.write(`${safeJson({ servers }, 2)}\n`);
  } else {
    const paint: PaintText = (style, text) => out.style(style, text);
    out.write(fleetTable(rows, ['verdict', 'detail', 'fix'], paint, isIll));
  }
  const isWell = rows.every((row) => row.failure === undefined && !isIll(row));
  return isWell ? EXIT_OK : EXIT_UNREACHABLE;
}
