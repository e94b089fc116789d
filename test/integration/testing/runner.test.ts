/** `plumb test` as users run it: what a file can say, what a failure shows, and how it ends. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../cli/plumb.js';
import { createFolder, type Folder, SERVER, SHOP } from './shop.js';

const MEETING = fileURLToPath(new URL('./fixtures/meeting-server.mjs', import.meta.url));

let folder: Folder;
beforeAll(() => {
  folder = createFolder();
});
afterAll(() => folder.remove());

interface Report {
  passed: number;
  failed: number;
  skipped: number;
  results: {
    name: string;
    type: string;
    status: string;
    message: string;
    attempts: number;
    transport: string;
    revision: string;
    repeat?: string;
    failures: { sent: string[]; received: string[]; problems: { message: string }[]; stderr?: string }[];
  }[];
}

async function run(tests: object, ...args: string[]): Promise<{ code: number | null; report: Report }> {
  const file = folder.write('suite.json', { server: SERVER, tests });
  const { code, stdout, stderr } = await folder.plumb(['test', file, '--json', ...args]);
  if (stdout === '') throw new Error(stderr);
  const report: Report = JSON.parse(stdout);
  return { code, report };
}

const statusOf = ({ results }: Report, name: string): string | undefined =>
  results.find((result) => result.name === name)?.status;

describe('a file', () => {
  test('in YAML scripts answers, captures values, and expects progress and errors', async () => {
    const file = folder.write(
      'whole.yaml',
      `
name: Shop
server: { command: ${process.execPath}, args: [${SHOP[0]}] }
tests:
  timeout: 10s
  tools:
    book:
      - { name: accepted, answers: { elicit: { accept: { guests: 4 } } }, expect: "text === 'for 4'", asked: 1 }
      - { name: declined, answers: { elicit: decline }, expect: { contains: decline } }
      - { name: filled in, answers: { elicit: accept }, expect: { matches: '^for \\d+$' } }
    summarize: { answers: { sample: 'In short.' }, expect: "text === 'In short.'" }
    places: { answers: { roots: [/tmp/shop] }, expect: { contains: shop } }
    count: { args: { steps: 3 }, progress: 3, expect: "progress[2].progress === 3" }
    count:cancelled: { args: { steps: 1000 }, cancel: { afterProgress: 2 } }
    divide: { args: { a: 1, b: 0 }, isError: true, expect: { contains: zero } }
    echo: { args: { message: '\${word}' }, expect: { equals: 'Echo: hi' } }
  resources:
    docs://one: { expect: { partial: { contents: [{ mimeType: text/plain }] } } }
    docs://none: { shouldExist: false }
  requests:
    unknown method: { method: shop/none, error: -32601 }
  scenarios:
    - name: create and look up
      steps:
        - { tool: create, args: { name: lamp }, capture: { id: structuredContent.id } }
        - { tool: lookup, args: { id: '\${id}' }, expect: "text === 'item 41'" }
  values: { word: hi }
`,
    );
    const { code, stdout } = await folder.plumb(['test', file]);
    expect(stdout).toMatch(/ 0 failed/);
    expect(code).toBe(0);
  });

  test.each(['mjs', 'ts'])('in a module (.%s) has functions and servers of its own', async (extension) => {
    const file = folder.write(
      `suite.${extension}`,
      `
import { createServer } from ${JSON.stringify(new URL('../../../dist/server/index.js', import.meta.url).href)};
${extension === 'ts' ? 'interface Result { content: { text: string }[] }\n' : ''}
const server = createServer({ name: 'own', version: '1' });
server.tool('hello', {}, () => 'Hello');
export default {
  server,
  tests: { transports: ['memory', 'http'], tools: { hello: { expect: (result${extension === 'ts' ? ': Result' : ''}) => result.content[0].text === 'Hello' } } },
};
`,
    );
    folder.write('package.json', { type: 'module' });
    const { code, stdout, stderr } = await folder.plumb(['test', join(folder.path, file)], {
      cwd: new URL('../../..', import.meta.url).pathname,
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/8 passed, 0 failed/);
    expect(code).toBe(0);
  });

  test('has tags, filters, skips and cases that run alone', async () => {
    const tests = {
      tools: {
        echo: { args: { message: 'a' }, tags: ['fast'] },
        search: { args: { query: 'a' }, tags: ['slow'] },
        add: { args: { a: 1, b: 2 }, skip: 'not today' },
      },
    };
    expect(statusOf((await run(tests)).report, 'add')).toBe('skip');
    const tagged = (await run(tests, '--tags', 'fast')).report;
    expect([statusOf(tagged, 'echo'), statusOf(tagged, 'search')]).toEqual(['pass', 'skip']);
    const without = (await run(tests, '--tags', '!slow')).report;
    expect([statusOf(without, 'echo'), statusOf(without, 'search')]).toEqual(['pass', 'skip']);
    const filtered = (await run(tests, '-f', 'sea*')).report;
    expect([statusOf(filtered, 'echo'), statusOf(filtered, 'search')]).toEqual(['skip', 'pass']);
    const skipped = (await run(tests, '--skip', 'echo')).report;
    expect([statusOf(skipped, 'echo'), statusOf(skipped, 'search')]).toEqual(['skip', 'pass']);
    const alone = (await run({ tools: { ...tests.tools, echo: { args: { message: 'a' }, only: true } } }))
      .report;
    expect([statusOf(alone, 'echo'), statusOf(alone, 'search')]).toEqual(['pass', 'skip']);
  });

  test('repeats what fails, stops at the first failure, and runs cases side by side', async () => {
    const flaky = (await run({ tools: { flaky: { retries: 3 } } })).report;
    expect(flaky.results.find(({ name }) => name === 'flaky')).toMatchObject({ status: 'pass', attempts: 3 });
    const tools = { divide: { args: { a: 1, b: 0 } }, echo: { args: { message: 'a' } } };
    expect(statusOf((await run({ tools, bail: true })).report, 'echo')).toBe('skip');
    const many = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`meet:${index}`, { args: { others: 7 } }]),
    );
    const server = { command: process.execPath, args: [MEETING] };
    const file = folder.write('meeting.json', { server, tests: { tools: many, concurrency: 8 } });
    const { code, stdout } = await folder.plumb(['test', file]);
    expect(stdout.match(/✓ meet:\d/g)).toHaveLength(8);
    expect(code).toBe(0);
  });

  test('runs in every revision and over several transports', async () => {
    const { code, report } = await run(
      { tools: { echo: { args: { message: 'a' } } }, transports: ['stdio', 'http'] },
      '--revision',
      'all',
    );
    expect(code).toBe(0);
    const cells = report.results
      .filter(({ name }) => name === 'echo')
      .map(({ transport, revision }) => `${transport} ${revision}`);
    expect(cells).toContain('stdio 2024-11-05');
    expect(cells).toContain('http 2026-07-28');
    expect(cells.length).toBe(9);
    expect(report.results.filter(({ status }) => status === 'skip')).toMatchObject([
      { message: 'the server does not support 2026-07-28', transport: 'stdio' },
    ]);
  });

  test('keeps snapshots, and shows what differs', async () => {
    const tests = {
      tools: {
        clock: { snapshot: { exclude: ['now'] } },
        echo: { args: { message: 'a' }, snapshot: 'named' },
      },
    };
    const missing = await run(tests);
    expect(missing.code).toBe(1);
    expect(missing.report.results.find(({ name }) => name === 'echo')?.message).toMatch(
      /there is no snapshot "named"/,
    );
    expect((await run(tests, '-u')).code).toBe(0);
    const stored = JSON.parse(readFileSync(join(folder.path, '__snapshots__/named.snap.json'), 'utf8'));
    expect(stored).toMatchObject({ name: 'named', metadata: { testType: 'tool', testName: 'echo' } });
    const other = { tools: { ...tests.tools, echo: { args: { message: 'b' }, snapshot: 'named' } } };
    const changed = await run(other);
    expect(statusOf(changed.report, 'echo')).toBe('fail');
    expect(changed.report.results.find(({ name }) => name === 'echo')?.message).toBe(
      'differs from the snapshot "named"\n- content[0].text: "Echo: a"\n+ content[0].text: "Echo: b"',
    );
  });
});

describe('a failure', () => {
  test('shows what was sent, what came back, what was expected, and how to repeat it', async () => {
    folder.write(
      'bad.yaml',
      `server: ${JSON.stringify(SERVER)}\ntools: { "echo:it's": { args: { message: a }, expect: "text === 'b'" } }\n`,
    );
    const { code, stdout } = await folder.plumb(['test', 'bad.yaml']);
    expect(code).toBe(1);
    expect(stdout).toContain(`expected text === 'b', but text is "Echo: a"`);
    expect(stdout).toMatch(/sent: {5}\{.*"method":"tools\/call".*"message":"a"/);
    expect(stdout).toMatch(/received: \{.*Echo: a/);
    const command = /repeat: (plumb test .*)/.exec(stdout)?.[1] ?? '';
    expect(command).toBe(`plumb test bad.yaml --case 'echo:it'\\''s'`);
    const again = await folder.plumb(['test', 'bad.yaml', '--case', "echo:it's"]);
    expect(again.code).toBe(1);
    expect(again.stdout).toMatch(/1 failed/);
  });

  test('of the server itself shows its stderr, and the next case has a new server', async () => {
    const { code, report } = await run({ tools: { crash: {}, echo: { args: { message: 'a' } } } });
    expect(code).toBe(1);
    const crash = report.results.find(({ name }) => name === 'crash');
    expect(crash?.failures[0]?.stderr).toMatch(/about to fall over/);
    expect(statusOf(report, 'echo')).toBe('pass');
  });

  test('is masked where it holds secrets', async () => {
    const tests = {
      tools: { echo: { args: { message: 'Bearer abcdefghijklmnopqrstuvwx' }, expect: 'false' } },
    };
    const { report } = await run(tests);
    expect(
      JSON.stringify(report.results.find(({ name }) => name === 'echo')?.failures[0]?.sent),
    ).not.toContain('abcdefghijkl');
  });
});

describe('the exit code', () => {
  test('is 2 for files that cannot be used, with the reason', async () => {
    folder.write('broken.yaml', 'tests: [');
    const cases: [string[], RegExp][] = [
      [['nowhere.yaml'], /Cannot read nowhere\.yaml/],
      [['broken.yaml'], /not valid YAML/],
      [[folder.write('typo.json', { tols: {} })], /tols is not known; did you mean "tools"/],
      [[folder.write('lonely.json', { tools: ['x'] })], /No server/],
      [[], /Nothing to test/],
      [
        [folder.write('ok.json', { server: SERVER, tools: ['debug'] }), '--reporter', 'morse'],
        /--reporter morse/,
      ],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await folder.plumb(['test', ...args]);
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
    }
  });

  test('is 3 for a server that does not start', async () => {
    const file = folder.write('gone.json', { server: { command: 'no-such-command-here' }, tools: ['x'] });
    const { code, stdout } = await folder.plumb(['test', file]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/no-such-command-here/);
  });
});

test('reports are written as JSON, JUnit, HTML and annotations', async () => {
  const file = folder.write('two.json', {
    server: SERVER,
    tools: { echo: { args: { message: '<b>' } }, divide: { args: { a: 1, b: 0 } } },
  });
  const args = [
    '--reporter',
    'json,junit,html,github',
    '--report-output',
    'r.json',
    '--report-output',
    'r.xml',
    '--report-output',
    'r.html',
  ];
  const { code, stdout } = await folder.plumb([
    'test',
    file,
    ...args,
    '--title',
    'My <page>',
    '--theme',
    'dark',
    '--raw-data',
  ]);
  expect(code).toBe(1);
  const read = (name: string): string => readFileSync(join(folder.path, name), 'utf8');
  expect(JSON.parse(read('r.json'))).toMatchObject({ failed: 1 });
  expect(read('r.xml')).toMatch(
    /<testsuites .*failures="1"[\s\S]*<failure message="the tool failed: division by zero"/,
  );
  expect(read('r.html')).toMatch(/My &lt;page&gt;/);
  expect(read('r.html')).not.toMatch(/<script/);
  expect(stdout).toMatch(/^::error file=two\.json,title=divide /m);
});

test('watch mode runs again with a new server when its file changes', async () => {
  const server = (text: string): string =>
    `import { createServer } from ${JSON.stringify(new URL('../../../dist/server/index.js', import.meta.url).href)};\nconst server = createServer({ name: 'w', version: '1' });\nserver.tool('say', {}, () => ${JSON.stringify(text)});\nawait server.stdio();\n`;
  folder.write('watched/server.mjs', server('one'));
  folder.write(
    'watched/tests.yaml',
    `server: { command: ${process.execPath}, args: [server.mjs] }\ntools: { say: { expect: "text === 'two'" } }\n`,
  );
  const cwd = join(folder.path, 'watched');
  const running = start(['test', 'tests.yaml', '--watch'], { cwd });
  const seen = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(running.stdout() + running.stderr())) {
      if (running.process.exitCode !== null) throw new Error(running.stderr());
      await new Promise((resolve) => running.process.stderr?.once('data', resolve));
    }
  };
  await seen(/waiting for changes/);
  expect(running.stdout()).toMatch(/1 failed/);
  writeFileSync(join(cwd, 'server.mjs'), server('two'));
  await seen(/changed: .*server\.mjs[\s\S]*waiting for changes/);
  expect(running.stdout()).toMatch(/ 0 failed/);
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
  expect(existsSync(join(cwd, '__snapshots__'))).toBe(false);
});
