/** `plumb validate` as users run it, with every flag, on a server whose faults are known. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Report } from '../../../src/validate/index.js';
import { REQUIREMENTS } from '../../../src/validate/requirements/index.js';
import { type Ended, start } from '../cli/plumb.js';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const FAULTY = ['--', process.execPath, path('./fixtures/faulty-server.mjs')];
/** A MUST, a SHOULD and a derived one that the server breaks, and one that it keeps. */
const FEW = ['--revision', '2025-11-25', '--only', '98,150,9,1'];
const FIVE_MINUTES = { timeout: 300_000 };
const folder = mkdtempSync(join(tmpdir(), 'plumb-validate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);
const written = (name: string): string => readFileSync(file(name), 'utf8');
const validate = (...words: readonly string[]): Promise<Ended> => start(['validate', ...words]).ended;

describe.concurrent('plumb validate', () => {
  test('lists every requirement, and how many of them are checked', FIVE_MINUTES, async () => {
    const { code, stdout } = await validate('--list');
    expect(code).toBe(0);
    expect(stdout.match(/^\d{3} {2}/gm)).toHaveLength(REQUIREMENTS.length);
    expect(stdout).toMatch(
      /4\d\d requirements: \d+ checked, \d+ not testable from outside, 0 not yet checked/,
    );
  });

  test('says that nothing speaks MCP at a wrong path, also for one revision', FIVE_MINUTES, async () => {
    const server = start(['demo', '--http', '0']);
    const url = (): string => /http:\/\/\S+(?=\/mcp)/.exec(server.stdout() + server.stderr())?.[0] ?? '';
    await expect.poll(url).not.toBe('');
    for (const words of [[], ['--revision', '2025-11-25'], ['--revision', '2026-07-28']]) {
      const { code, stdout } = await validate(`${url()}/wrong/path`, ...words);
      expect(stdout).toContain('Nothing speaks MCP there');
      expect(stdout).toContain('plumb doctor');
      expect(code).toBe(3);
    }
    server.process.kill('SIGINT');
    await server.ended;
  });

  test('prints what to do about each finding, and exits with 1', FIVE_MINUTES, async () => {
    const { code, stdout } = await validate(...FEW, ...FAULTY);
    expect(code).toBe(1);
    for (const part of [
      '098 MUST',
      '150 SHOULD',
      '009 derived',
      'sent      {',
      'expected  ',
      'fix       ',
      'see       ',
    ])
      expect(stdout).toContain(part);
    // The gravest comes first.
    expect(stdout.indexOf('098 MUST')).toBeLessThan(stdout.indexOf('150 SHOULD'));
  });

  test('writes every kind of report', FIVE_MINUTES, async () => {
    const outs = ['r.html', 'r.json', 'r.md', 'r.xml', 'r.sarif', 'r.svg', 'r.txt'];
    const { code } = await validate(...FEW, ...outs.flatMap((name) => ['--out', file(name)]), ...FAULTY);
    expect(code).toBe(1);
    const report = JSON.parse(written('r.json')) as Report;
    expect(report).toMatchObject({ subject: 'server', transport: 'stdio', level: 'partial' });
    expect(report.revisions.map(({ failed }) => failed)).toEqual([{ must: 1, should: 1, derived: 1 }]);
    const { runs } = JSON.parse(written('r.sarif'));
    expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id).toSorted()).toEqual([
      'MCP-009',
      'MCP-098',
      'MCP-150',
    ]);
    for (const { level, message, locations, ruleIndex, ruleId } of runs[0].results) {
      expect(['error', 'warning', 'note']).toContain(level);
      expect(message.text).not.toBe('');
      expect(locations[0].physicalLocation.artifactLocation.uri).not.toBe('');
      expect(runs[0].tool.driver.rules[ruleIndex].id).toBe(ruleId);
    }
    expect(written('r.xml')).toMatch(/^<\?xml version="1.0"/);
    // Only a failed MUST fails a build; the others are told beside it.
    expect(written('r.xml').match(/<failure /g)).toHaveLength(1);
    expect(written('r.xml').match(/<system-out>/g)).toHaveLength(2);
    expect(written('r.md')).toContain('| 2025-11-25 |');
    expect(written('r.svg')).toContain(`${report.score}/100`);
    expect(written('r.txt')).toContain('098 MUST');
    expect(written('r.html')).toContain('Content-Security-Policy');
  });

  test('refuses an ending that no report has, before anything runs', FIVE_MINUTES, async () => {
    const { code, stderr } = await validate('--out', file('r.pdf'), ...FAULTY);
    expect(code).toBe(2);
    expect(stderr).toContain('.html');
  });

  test('breaks a build as --fail-on says', FIVE_MINUTES, async () => {
    const only = (id: string, level: string): Promise<Ended> =>
      validate('--quiet', '--revision', '2025-11-25', '--only', id, '--fail-on', level, ...FAULTY);
    const [should, must, none, grave] = await Promise.all([
      only('150', 'should'),
      only('150', 'must'),
      only('098', 'none'),
      only('098', 'must'),
    ]);
    expect([should.code, must.code, none.code, grave.code]).toEqual([1, 0, 0, 1]);
    expect(grave.stdout).toMatch(/^\d+\/100 \w+ .*faulty-server\.mjs\n$/);
  });

  test('forgives what the baseline knows, and nothing beyond', FIVE_MINUTES, async () => {
    const baseline = ['--baseline', file('baseline.txt')];
    const first = await validate('--quiet', ...FEW, ...baseline, '--update-baseline', ...FAULTY);
    expect(first.code).toBe(0);
    expect(written('baseline.txt')).toContain('098 2025-11-25 stdio  # ');
    const known = await validate(...FEW, ...baseline, ...FAULTY);
    expect(known.code).toBe(0);
    expect(known.stdout).toContain('(known)');
    const beyond = await validate(
      ...['--quiet', '--revision', '2025-11-25', '--fail-on', 'should'],
      ...['--only', '98,150,122'],
      ...['--baseline', file('empty.txt')],
      ...FAULTY,
    );
    expect(beyond.code).toBe(1);
    expect((await validate('--update-baseline', ...FAULTY)).code).toBe(2);
  });

  test('prints JSON alone on stdout', FIVE_MINUTES, async () => {
    const { stdout } = await validate('--json', '--revision', '2025-11-25', '--only', '1', ...FAULTY);
    expect(JSON.parse(stdout)).toMatchObject({ score: 100, revisions: [{ revision: '2025-11-25' }] });
  });

  test(
    'finds a crash by random messages, shrinks it, and finds it again with its seed',
    FIVE_MINUTES,
    async () => {
      const fuzz = ['--quiet', '--revision', '2025-11-25', '--only', '1', '--fuzz', '15', '--seed', '42'];
      const { code, stdout } = await validate(...fuzz, ...FAULTY);
      expect(stdout).toContain('repeat with --seed 42');
      expect(code).toBe(1);
      expect(stdout).toContain('exited with code 7');
      const minimal = stdout.split('\n').find((line) => line.trim().startsWith('{')) ?? '';
      expect(Object.keys(JSON.parse(minimal))).toEqual(['params']);
      expect(Object.keys(JSON.parse(minimal).params)).toEqual(['cursor']);
      const again = await validate(...fuzz, ...FAULTY);
      expect(again.stdout).toContain(minimal);
    },
  );

  test('says that there is no connection, with another exit code', FIVE_MINUTES, async () => {
    const { code, stdout } = await validate('--', process.execPath, '-e', 'process.exit(4)');
    expect(code).toBe(3);
    expect(stdout).toContain('plumb doctor');
  });
});
