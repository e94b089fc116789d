/** What the validator does not notice: shown by a test that fails, and written to the page on demand. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../../../../docs/validator-mutations.md', import.meta.url);

export interface Miss {
  readonly id: string;
  readonly name: string;
  readonly message: string;
}

/** Set by `npm run mutations`: a plain test run changes no file. */
const WRITES = process.env.PLUMB_WRITE_MUTATIONS === '1';

/** One line for each, so that a failing test names what was missed. */
export function missLines(misses: readonly Miss[]): readonly string[] {
  return sorted(misses).map(({ id, name, message }) => `${id} ${name}: ${message}`);
}

/** Brings docs/validator-mutations.md up to date, if that was asked for. */
export function recordMisses(kind: 'server' | 'client', total: number, misses: readonly Miss[]): void {
  if (!WRITES) return;
  const begin = `<!-- ${kind} -->`;
  const end = `<!-- /${kind} -->`;
  const rows = sorted(misses).map(
    ({ id, name, message }) =>
      `| ${id} | ${name} | ${message.replaceAll('|', '\\|').replaceAll('\n', ' ')} |`,
  );
  const table =
    rows.length === 0
      ? ['Nothing was missed.']
      : ['| requirement | mutation | what the validator said |', '|---|---|---|', ...rows];
  const section = [
    begin,
    `${total - misses.length} of ${total} ${kind} mutations are found.`,
    '',
    ...table,
    end,
  ].join('\n');
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : TEMPLATE;
  const after = before.replace(new RegExp(`${begin}[\\s\\S]*?${end}`), () => section);
  if (after !== before) writeFileSync(FILE, after);
}

function sorted(misses: readonly Miss[]): readonly Miss[] {
  return misses.toSorted((a, b) => a.id.localeCompare(b.id) || a.name.localeCompare(b.name));
}

const TEMPLATE = `# What the validator finds, and what it misses

A validator is as good as the mistakes it notices. \`test/integration/validate/mutations\` takes a correct server (and a correct client),
breaks one thing at a time, each tied to a requirement, and counts how many of them \`plumb validate\` reports under that
requirement. The tables below are written by \`npm run mutations\`; \`npm test\` fails when too many are missed.

## Servers

<!-- server -->
<!-- /server -->

## Clients

<!-- client -->
<!-- /client -->
`;
