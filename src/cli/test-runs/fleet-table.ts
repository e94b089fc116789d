/** One table for many servers. */

import { singleLine } from '../../protocol/display.js';
import type { PaintText } from '../../testing/report/terminal.js';
import { displayWidth, padTo } from '../output/text.js';
import type { FleetRow } from './fleet.js';

/** `isFailed`: what counts as failed beside the servers that have no result. */
export function fleetTable(
  rows: readonly FleetRow[],
  columns: readonly string[],
  paint: PaintText,
  isFailed: (row: FleetRow) => boolean = () => false,
): string {
  const head = ['server', ...columns, 'seconds'];
  const body = rows.map(({ name, values, failure, elapsedMs }) => [
    singleLine(name),
    ...columns.map((column, index) => {
      if (failure === undefined) return singleLine(String(values[column] ?? ''));
      return index === 0 ? 'FAILED' : '';
    }),
    (elapsedMs / 1_000).toFixed(1),
  ]);
  const widths = head.map((title, index) =>
    Math.max(displayWidth(title), ...body.map((cells) => displayWidth(cells[index] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => padTo(cell, widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const failed = rows.filter((row) => row.failure !== undefined || isFailed(row)).length;
  return [
    paint('bold', line(head)),
    ...body.map((cells, index) =>
      rows[index]?.failure === undefined ? line(cells) : paint('red', line(cells)),
    ),
    '',
    // Whole: what to do about it often comes last.
    ...rows.flatMap(({ name, failure }) =>
      failure === undefined ? [] : [`${singleLine(name)}: ${singleLine(failure)}`],
    ),
    `${rows.length} servers, ${failed} failed`,
    '',
  ].join('\n');
}
