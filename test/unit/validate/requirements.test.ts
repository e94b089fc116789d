import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { coverage } from '../../../src/validate/coverage.js';
import { REQUIREMENTS } from '../../../src/validate/requirements/index.js';
import { specificationUrl } from '../../../src/validate/requirements/requirement.js';

const LIST = new URL('../../../../shared/spec/must-list.md', import.meta.url);

test('has every requirement once, with all that a report needs', () => {
  const idsFrom = (first: number, length: number): string[] =>
    Array.from({ length }, (_, index) => String(first + index).padStart(3, '0'));
  const scored = REQUIREMENTS.filter(({ level }) => level !== 'may').map(({ id }) => id);
  const options = REQUIREMENTS.filter(({ level }) => level === 'may').map(({ id }) => id);
  expect(scored).toEqual(idsFrom(1, 425));
  expect(options).toEqual(idsFrom(501, 29));
  for (const { title, how, advice, revisions } of REQUIREMENTS) {
    for (const text of [title, how, advice]) expect(text).not.toBe('');
    expect(revisions.length).toBeGreaterThan(0);
  }
});

test('points into the specification of each revision that it holds in', () => {
  for (const requirement of REQUIREMENTS) {
    for (const revision of requirement.revisions) {
      const url = new URL(specificationUrl(requirement, revision));
      expect(url.hostname).toBe('modelcontextprotocol.io');
      if (url.pathname.startsWith('/specification')) expect(url.pathname).toContain(`/${revision.version}/`);
    }
  }
});

test('checks at least 300 requirements, and says why not where it does not', () => {
  const { checked, entries } = coverage();
  expect(checked).toBeGreaterThanOrEqual(300);
  // What nobody can test from outside must not be claimed as checked.
  const claimed = entries.filter(
    ({ requirement, server, client }) => requirement.outside !== undefined && (server || client),
  );
  expect(claimed.map(({ requirement }) => requirement.id)).toEqual([]);
});

test('checks everything that can be tested from outside', () => {
  const open = coverage().entries.filter(({ how }) => how === 'not yet checked');
  expect(open.map(({ requirement }) => requirement.id)).toEqual([]);
});

if (existsSync(LIST)) {
  test('agrees with the list that it was made from in id, level, subject and revisions', () => {
    const levels: Readonly<Record<string, string>> = { M: 'must', S: 'should', D: 'derived' };
    const subjects: Readonly<Record<string, string>> = { S: 'server', C: 'client', B: 'both' };
    const rows = readFileSync(LIST, 'utf8')
      .split('\n')
      .filter((line) => /^\|\d{3}\|/.test(line));
    for (const row of rows) {
      const [, id, range = '', level = '', subject = ''] = row.split('|');
      const [first = '', last = first] = range.split('-');
      const found = REQUIREMENTS.find((requirement) => requirement.id === id);
      expect(found).toMatchObject({ level: levels[level], subject: subjects[subject] });
      expect(found?.revisions).toEqual(REVISIONS.slice(Number(first) - 1, Number(last)));
    }
  });
}
