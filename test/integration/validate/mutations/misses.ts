/** Keeps docs/validator-mutations.md true: what the validator does not notice is written there. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../../../../docs/validator-mutations.md', import.meta.url);

export interface Miss {
  readonly id: string;
  readonly name: string;
  readonly message: string;
}

export function writeMisses(kind: 'server' | 'client', total: number, misses: readonly Miss[]): void {
  const begin = `<!-- ${kind} -->`;
  const end = `<!-- /${kind} -->`;
  const rows = misses
    .toSorted((a, b) => a.id.localeCompare(b.id) || a.name.localeCompare(b.name))
    .map(
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

const TEMPLATE = `# What the validator finds, and what it misses

A validator is as good as the mistakes it notices. \`test/integration/validate/mutations\` takes a correct server (and a correct client),
breaks one thing at a time, each tied to a requirement, and counts how many of them \`plumb validate\` reports under that
requirement. The tables below are written by those tests.

## Servers

<!-- server -->
<!-- /server -->

## Clients

<!-- client -->
<!-- /client -->
`;
