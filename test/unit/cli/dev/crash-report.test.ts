import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { crashReport } from '../../../../src/cli/dev/crash-report.js';

const directory = mkdtempSync(join(tmpdir(), 'plumb-crash-'));
const file = join(directory, 'server.ts');
writeFileSync(file, 'one\ntwo\nthree\nfour\nfive\n');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const EXCERPT = ['  1 | one', '  2 | two', '> 3 | three', '  4 | four', '  5 | five'];

it.each([
  [
    'a syntax error of Node',
    `${pathToFileURL(file)}:3\nthree\n  ^\nSyntaxError: Unexpected token`,
    'SyntaxError: Unexpected token',
  ],
  [
    'an exception, past the frames of packages',
    `Error: no key\n    at read (file:///x/node_modules/a/b.js:1:2)\n    at main (${pathToFileURL(file)}:3:9)`,
    'Error: no key',
  ],
  [
    'a traceback of Python',
    `Traceback:\n  File "${file}", line 3, in <module>\nValueError: bad`,
    'ValueError: bad',
  ],
  [
    'an error of a transpiler, below the frame of Node',
    `node:internal/process/promises:394\n  triggerUncaughtException(err, true);\n  ^\n\nError [TransformError]: Transform failed with 1 error:\n${file}:3:10: ERROR: Unexpected ";"`,
    `Error [TransformError]: Transform failed with 1 error: ${file}:3:10: ERROR: Unexpected ";"`,
  ],
  ['a path from the folder', `server.ts:3:1: error: unexpected end`, undefined],
])('finds the message and the source line in %s', (_what, stderr, message) => {
  const report = crashReport(stderr, directory);
  expect(report.message).toBe(message);
  expect(report.place).toEqual({ path: file, line: 3, excerpt: EXCERPT });
});

it('shows nothing where the text names no place that exists', () => {
  expect(crashReport('listening\n/nowhere/at/all.ts:3', directory)).toEqual({
    message: undefined,
    place: undefined,
  });
});
