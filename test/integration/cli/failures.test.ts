import { describe, expect, it } from 'vitest';
import { isAlive, untilGone } from '../../support/processes.js';
import { DEMO, fixture, plumb, type Running, start } from './plumb.js';

/** Every failure: its exit code, and the one line that it prints. */
const FAILURES: readonly (readonly [what: string, words: readonly string[], code: number, line: RegExp])[] = [
  ['an unknown command', ['lst'], 2, /unknown command 'lst' \(Did you mean list\?\); see plumb --help/],
  ['help about nothing', ['help', 'lst'], 2, /unknown command 'lst'; see plumb --help/],
  ['an unknown option', ['list', '--jsno', ...DEMO], 2, /unknown option '--jsno' .*; see plumb list --help/],
  ['no target', ['list'], 2, /No target: give a URL, a configured name, or a command last, after --/],
  [
    'a file that is no config',
    ['list', 'x', '--config', 'package.json'],
    2,
    /package.json has no "mcpServers"/,
  ],
  ['too many words', ['demo', 'x'], 2, /too many arguments for 'demo'.*; see plumb demo --help/],
  [
    'a name that nobody configured',
    ['list', 'nope'],
    2,
    /"nope" is not a URL, and no config file was found here/,
  ],
  ['no command', ['list', '--'], 2, /Nothing after --/],
  [
    'an unknown kind',
    ['list', 'toolz', ...DEMO],
    2,
    /"toolz" is not a kind of list; choose one of: tools, resources/,
  ],
  [
    'no tool',
    ['call', ...DEMO],
    2,
    /No tool name given; to see what is available, run: plumb list tools -- /,
  ],
  ['no URI', ['read', ...DEMO], 2, /No URI given; to see what is available, run: plumb list resources -- /],
  [
    'no prompt',
    ['prompt', ...DEMO],
    2,
    /No prompt name given; to see what is available, run: plumb list prompts -- /,
  ],
  [
    'nothing to complete',
    ['complete', ...DEMO],
    2,
    /Give what to complete: prompt:NAME or resource:TEMPLATE/,
  ],
  [
    'an unknown reference',
    ['complete', 'tool:x', 'y', ...DEMO],
    2,
    /"tool:x" must be prompt:NAME or resource:/,
  ],
  [
    'a word that is no argument',
    ['call', 'echo', 'hi', ...DEMO],
    2,
    /"hi" is not an argument; write key=value/,
  ],
  ['an argument of the wrong type', ['call', 'add', 'a=x', ...DEMO], 2, /a=x: must be a number/],
  ['bad JSON', ['call', 'echo', '--args', '{', ...DEMO], 2, /--args is not valid JSON/],
  ['a missing file', ['call', 'echo', '--args', '@nope.json', ...DEMO], 2, /--args: cannot read nope.json/],
  ['a bad duration', ['list', '--timeout', 'soon', ...DEMO], 2, /"soon" is not a duration/],
  [
    'an unknown revision',
    ['list', '--revision', 'x', ...DEMO],
    2,
    /--revision: Unknown protocol revision "x"; known/,
  ],
  [
    'an unknown revision to serve',
    ['demo', '--revisions', 'x'],
    2,
    /--revisions: Unknown protocol revision "x"/,
  ],
  ['a header for a command', ['list', '--header', 'A: b', ...DEMO], 2, /--header is for URLs/],
  [
    'a command that does not exist',
    ['list', '--', 'no-such-command'],
    3,
    /Command not found: "no-such-command"/,
  ],
  [
    'a command line as one word',
    ['list', '--', 'no-such-command --stdio'],
    3,
    /Command not found: "no-such-command --stdio"\. Pass the words after the first one in "args"/,
  ],
  [
    'a program that ends without serving',
    ['list', '--', process.execPath, '-e', ''],
    3,
    /ended with exit code 0 before it answered; it did not serve stdio: check that it calls server\.stdio\(\)/,
  ],
  [
    'a program that is no server',
    ['list', '--connect-timeout', '300ms', ...fixture('silent')],
    3,
    /did not answer within 300 ms, though its process runs; allow more with --connect-timeout/,
  ],
  ['a URL where nobody listens', ['list', 'http://127.0.0.1:1/mcp'], 3, /127\.0\.0\.1:1/],
  [
    'an unknown tool',
    ['call', 'nope', ...DEMO],
    1,
    /Unknown tool: nope \(-32602\); to see what is available, run: plumb list tools -- /,
  ],
  [
    'a misspelt tool, however the server reports it',
    ['call', 'serch', 'query=a', ...fixture('lenient-server')],
    1,
    /The tool "serch" failed: Tool serch not found; did you mean "search"\? To see what is available, run: plumb list tools -- /,
  ],
  [
    'a misspelt argument',
    ['call', 'search', 'qury=a', ...fixture('lenient-server')],
    1,
    /failed: Invalid input; "qury" is not an argument of search; did you mean "query"\?; it takes: query=TEXT \[limit=INTEGER\]$/,
  ],
  [
    'arguments like options',
    ['call', 'echo', '--message=hi', ...DEMO],
    2,
    /unknown option '--message=hi'; write arguments as key=value/,
  ],
  ['a port as elsewhere', ['demo', '--port', '3000'], 2, /unknown option '--port'; use --http PORT$/],
  [
    'an unknown resource',
    ['read', 'a://b', ...DEMO],
    1,
    /Resource not found: a:\/\/b .*plumb list resources -- /,
  ],
  ['an unknown prompt', ['prompt', 'nope', ...DEMO], 1, /Unknown prompt: nope .*plumb list prompts -- /],
  ['a missing prompt argument', ['prompt', 'review', ...DEMO], 1, /code: is required \(-32602\)$/],
  [
    'an unknown argument',
    ['call', 'echo', 'message=a', 'b=c', ...DEMO],
    1,
    /The tool "echo" failed: .*b: is not an argument/,
  ],
  ['a tool that fails', ['call', 'fail', ...DEMO], 1, /The tool "fail" failed: This tool always fails/],
  ['a refused call', ['call', 'fail', 'how=protocol', ...DEMO], 1, /The demo refuses this call \(-32050\)$/],
  ['a missing model', ['call', 'ask_model', ...DEMO], 1, /run it with --sample-text TEXT$/],
  [
    'a missing feature',
    ['prompt', 'x', ...fixture('environment-server')],
    1,
    /does not declare the "prompts" capability/,
  ],
  [
    'a call that takes too long',
    ['call', 'wait', '--timeout', '200ms', ...DEMO],
    4,
    /not answered within 200 ms/,
  ],
];

describe.concurrent('a failure', () => {
  it.each(FAILURES)('by %s is told in one line', async (_what, words, code, line) => {
    const ended = await plumb(words);
    expect(ended.stderr).toMatch(/^plumb: [^\n]+\n$/);
    expect(ended.stderr.trimEnd()).toMatch(line);
    expect(ended).toMatchObject({ code, stdout: '' });
  });

  it('of a tool still gives JSON to who asked for it', async () => {
    const { code, stdout, stderr } = await plumb(['call', 'fail', '--json', ...DEMO]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ isError: true });
  });

  it('to list one kind of thing does not withhold the others', async () => {
    const { code, stdout, stderr } = await plumb(['list', ...fixture('lenient-server')]);
    expect(code).toBe(1);
    expect(stdout).toContain('Tools (1)\n  search  query=TEXT [limit=INTEGER]\n');
    expect(stderr).toBe('plumb: The server answered prompts/list with an error: No prompts/list (-32603)\n');
  });

  it('is not what an argument too many is, where the server takes any', async () => {
    const words = ['call', 'search', '{"query": "a"}', 'lmit=3', ...fixture('lenient-server')];
    expect(await plumb(words)).toEqual({
      code: 0,
      stdout: 'found a\n',
      stderr: 'plumb: "lmit" is not an argument of search; did you mean "limit"?\n',
    });
  });

  it.each([
    ['before it answered', 3, []],
    ['during tools/call', 1, ['late']],
  ])('by a server that ends %s shows its last stderr lines', async (when, code, args) => {
    const ended = await plumb(['call', 'x', ...fixture('dying-server', ...args)]);
    expect(ended).toEqual({
      code,
      stdout: '',
      stderr: `plumb: The server ended with exit code 7 ${when}; its last stderr lines:\n  The database is gone.\n  Good bye.\n`,
    });
  });

  it('by a proxy whose server does not start shows what the proxy says', async () => {
    const [, ...proxy] = DEMO.slice(0, 3);
    const { code, stderr } = await plumb(['list', '--', ...proxy, 'proxy', '--', 'no-such-command']);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /refused to connect: The server is not available: its command could not be started.* \(-32603\); its own log says more; its last stderr lines:\n {2}plumb: server could not be started: Command not found: "no-such-command"/,
    );
  });

  it('shows where it comes from only when asked to', async () => {
    const { stderr } = await plumb(['list', 'nope'], { env: { PLUMB_DEBUG: '1' } });
    expect(stderr).toMatch(/\n {4}at /);
  });
});

function pids(stderr: string): number[] {
  return [...stderr.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
}

/** Runs until the server has the call. */
async function calling(...traits: string[]): Promise<Running> {
  const running = start(['call', 'x', '--stderr', ...fixture('recording-server', ...traits)]);
  await expect.poll(running.stderr).toContain('got tools/call');
  return running;
}

describe.concurrent('Ctrl-C', () => {
  it('cancels the call and leaves no process behind', async () => {
    const running = await calling('grandchild');
    running.process.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain('got notifications/cancelled');
    expect(stderr.trimEnd().split('\n').at(-1)).toBe('plumb: Interrupted');
    expect(pids(stderr)).toHaveLength(2);
    await Promise.all(pids(stderr).map(untilGone));
  });

  it('twice ends even a server that does not want to leave', async () => {
    const running = await calling('stubborn');
    running.process.kill('SIGINT');
    await expect.poll(running.stderr).toContain('got notifications/cancelled');
    running.process.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    await Promise.all(pids(running.stderr()).map(untilGone));
  });

  it('while connecting ends the server too', async () => {
    const running = start(['list', '--stderr', ...fixture('silent', 'announce')]);
    await expect.poll(running.stderr).toContain('pid ');
    const [pid = 0] = pids(running.stderr());
    expect(isAlive(pid)).toBe(true);
    running.process.kill('SIGTERM');
    expect((await running.ended).code).toBe(143);
    await untilGone(pid);
  });
});
