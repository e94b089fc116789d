import { expect, it } from 'vitest';
import { milliseconds } from '../../../src/protocol/duration.js';
import { byteCount } from '../../../src/protocol/size.js';

it('reads a size with a unit, or a number of bytes', () => {
  expect([byteCount('64KB'), byteCount('4MB'), byteCount('1.5 gb'), byteCount(7)]).toEqual([
    65_536, 4_194_304, 1_610_612_736, 7,
  ]);
});

it('refuses a size without a known unit, and says what to write', () => {
  for (const size of ['4', '4 MiB', '', 'MB'])
    expect(() => byteCount(size)).toThrow(/write 64KB, 4MB or 1GB/);
});

it('reads a duration with a unit, or a number of milliseconds', () => {
  expect([
    milliseconds('500ms'),
    milliseconds('30s'),
    milliseconds('5m'),
    milliseconds('1h'),
    milliseconds(7),
  ]).toEqual([500, 30_000, 300_000, 3_600_000, 7]);
});

it('refuses a duration without a known unit, and says what to write', () => {
  for (const duration of ['30', '30 seconds', ''])
    expect(() => milliseconds(duration)).toThrow(/write 500ms, 30s, 5m or 1h/);
});
