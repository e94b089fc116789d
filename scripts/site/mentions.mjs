/** Finds public names that no guide mentions, and that have no example in the reference either. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publicNames } from '../api-report.mjs';
import { root } from '../run.mjs';
import { filesUnder } from '../stamp.mjs';
import { examplesByName } from './examples.mjs';

/** @returns {{ missing: string[], names: number }} */
export function checkMentions() {
  const words = mentionedWords();
  const examples = examplesByName();
  const own = publicNames().entries.flatMap(({ specifier, names }) =>
    names.filter(({ home }) => home === undefined).map(({ name }) => ({ specifier, name })),
  );
  const missing = own
    .filter(({ name }) => !words.has(name) && !examples.has(name))
    .map(
      ({ specifier, name }) =>
        `${name} of ${specifier} is in no guide and has no example (docs/, site/examples/)`,
    );
  return { missing, names: own.length };
}

/** Words in the code of the guides. */
function mentionedWords() {
  const guides = filesUnder(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  const code = guides.flatMap((file) => readFileSync(file, 'utf8').match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []);
  return new Set(code.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []));
}
