/**
 * A revision's date stands in src/protocol/revisions/ and nowhere else in src/ but comments:
 * code that compares dates has found a field that is missing from `Revision`.
 */
import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from './run.mjs';
import { filesUnder } from './stamp.mjs';

const dates = /2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28/;
const home = join(root, 'src', 'protocol', 'revisions') + sep;

/** Comments, and the strings that may contain something that looks like one. */
const commentOrString =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;

/** @param {string} code */
function withoutComments(code) {
  return code.replace(commentOrString, (text) => (text.startsWith('/') ? text.replace(/[^\n]/g, ' ') : text));
}

/** @returns {import('./run.mjs').Outcome} */
export function checkRevisionDates() {
  const found = filesUnder(join(root, 'src'))
    .filter((file) => !file.startsWith(home))
    .flatMap((file) =>
      withoutComments(readFileSync(file, 'utf8'))
        .split('\n')
        .flatMap((line, index) =>
          dates.test(line) ? [`${relative(root, file)}:${index + 1}: ${line.trim()}\n`] : [],
        ),
    );
  return { ok: found.length === 0, output: found.join('') };
}
