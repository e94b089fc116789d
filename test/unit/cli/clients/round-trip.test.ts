import { describe, expect, it } from 'vitest';
import type { ClientDefinition } from '../../../../src/cli/clients/client-definition.js';
import { readEntries, withEntry, withoutEntry } from '../../../../src/cli/clients/config-text.js';
import { CLIENTS } from '../../../../src/cli/clients/definitions.js';
import type { ServerEntry } from '../../../../src/cli/clients/server-entry.js';
import { SAMPLES } from '../../../support/client-config-samples.js';

const COMMAND: ServerEntry = {
  kind: 'stdio',
  command: 'npx',
  args: ['-y', '@scope/server', '--root', '/a b/"c"'],
  env: { LEVEL: 'debug' },
};
const REMOTE: ServerEntry = { kind: 'http', url: 'https://example.com/mcp', headers: { 'X-Team': 'blue' } };

const FORMS: readonly [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
  ['with a byte order mark', (text) => `\ufeff${text}`],
  ['with CRLF and a byte order mark', (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`],
  ['without a line break at the end', (text) => text.trimEnd()],
  ['with blank lines at the end', (text) => `${text}\n\n`],
];

/** The parts of two texts between what they have in common at both ends. */
function difference(before: string, after: string): [lost: string, gained: string] {
  let head = 0;
  while (head < before.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
}

function written(client: ClientDefinition, entry: ServerEntry): Record<string, unknown> {
  return client.write(entry, 'plumb-test');
}

describe.each(CLIENTS.map((client) => [client.name, client] as const))('%s', (_name, client) => {
  const sample = SAMPLES[client.id] ?? '';
  const entries = client.transports.includes('http') ? [COMMAND, REMOTE] : [COMMAND];

  it.each(FORMS)('only gains the entry, and loses only the entry, %s', (_form, form) => {
    const before = form(sample);
    for (const entry of entries) {
      const after = withEntry(client, before, 'plumb-test', written(client, entry));
      // A comma may come between an entry and the comment behind it; everything else is one insertion.
      const [lost, gained] = difference(before, after);
      expect(lost).toMatch(/^(\s*\/\/ keep last)?$/);
      expect(gained.startsWith(lost === '' ? '' : `,${lost}`)).toBe(true);
      const names = [...readEntries(client, before).keys()];
      expect([...readEntries(client, after).keys()]).toEqual([...names, 'plumb-test']);
      expect(client.read(Object(readEntries(client, after).get('plumb-test')))).toEqual(entry);
      expect(after.includes('\r\n')).toBe(before.includes('\r\n'));
      if (before.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
      expect(after.startsWith('\ufeff')).toBe(before.startsWith('\ufeff'));
      // No version from before is needed where entries were there already.
      expect(withoutEntry(client, after, 'plumb-test')).toBe(before);
    }
  });

  it.each([
    ['an empty file', ''],
    ['a blank file', ' \n\n'],
    ['a file with a byte order mark only', '\ufeff'],
  ])('creates its settings in %s, and gives it back', (_form, before) => {
    const after = withEntry(client, before, 'plumb-test', written(client, COMMAND));
    expect(client.read(Object(readEntries(client, after).get('plumb-test')))).toEqual(COMMAND);
    expect(withoutEntry(client, after, 'plumb-test', [before])).toBe(before);
  });

  it('creates a missing file, and leaves none', () => {
    const after = withEntry(client, undefined, 'plumb-test', written(client, COMMAND));
    expect(client.read(Object(readEntries(client, after).get('plumb-test')))).toEqual(COMMAND);
    expect(withoutEntry(client, after, 'plumb-test')).toBeUndefined();
  });

  it('leaves no file that it created, in whatever order its entries go', () => {
    const one = withEntry(client, undefined, 'one', written(client, COMMAND));
    const both = withEntry(client, one, 'two', written(client, COMMAND));
    const rest = withoutEntry(client, both, 'one', [one]) ?? '';
    const left = withoutEntry(client, rest, 'two', [one, both]);
    // JSON has its braces, which another program may have written.
    expect(left === undefined || !/^\s*$/.test(left)).toBe(true);
  });

  it('replaces an entry and nothing around it', () => {
    const first = withEntry(client, sample, 'plumb-test', written(client, COMMAND));
    const second = withEntry(client, first, 'plumb-test', written(client, { ...COMMAND, args: ['other'] }));
    expect(client.read(Object(readEntries(client, second).get('plumb-test')))).toEqual({
      ...COMMAND,
      args: ['other'],
    });
    expect(withoutEntry(client, second, 'plumb-test')).toBe(sample);
    const [existing = ''] = readEntries(client, sample).keys();
    const replaced = withEntry(client, sample, existing, written(client, COMMAND));
    expect([...readEntries(client, replaced).keys()].toSorted()).toEqual(
      [...readEntries(client, sample).keys()].toSorted(),
    );
  });

  it('removes each entry that it has, and keeps the others', () => {
    const names = [...readEntries(client, sample).keys()];
    for (const name of names) {
      const after = withoutEntry(client, sample, name) ?? '';
      expect([...readEntries(client, after).keys()]).toEqual(names.filter((other) => other !== name));
    }
  });
});
