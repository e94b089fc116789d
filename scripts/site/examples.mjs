/** Finds an example for each name: the shortest block of code in the guides that uses it. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../run.mjs';
import { filesUnder } from '../stamp.mjs';
import { codeBlocks, pageTitle } from './markdown.mjs';

/** `page` is missing where the example is only for the reference. @typedef {{ code: string, page?: string, title?: string }} Example */

const LANGUAGES = new Set(['ts', 'js']);
/** Longer blocks are for the guides. */
const LONGEST_LINES = 30;

/** @returns {Map<string, Example>} */
export function examplesByName() {
  const found = new Map();
  for (const example of [...guideExamples(), ...referenceExamples()]) {
    for (const [name] of example.code.matchAll(/\b[A-Za-z_$][\w$]*\b/g)) {
      const known = found.get(name);
      if (known === undefined || known.code.length > example.code.length) found.set(name, example);
    }
  }
  return found;
}

/** @returns {Example[]} */
function guideExamples() {
  const docs = join(root, 'docs');
  return filesUnder(docs)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      const page = relative(docs, file).replaceAll('\\', '/');
      return short(text).map((code) => ({ code, page, title: pageTitle(text) ?? page }));
    });
}

/** Examples of names that no guide needs. @returns {Example[]} */
function referenceExamples() {
  const folder = join(root, 'site', 'examples');
  if (!existsSync(folder)) return [];
  return filesUnder(folder).flatMap((file) => short(readFileSync(file, 'utf8')).map((code) => ({ code })));
}

/** @param {string} text */
function short(text) {
  return codeBlocks(text)
    .filter(({ language, code }) => LANGUAGES.has(language) && code.split('\n').length <= LONGEST_LINES)
    .map(({ code }) => code);
}
