import { describe, expect, it } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { DEMO, EVERYTHING, plumb } from './plumb.js';

const VERSIONS = REVISIONS.map(({ version }) => version);
const HANDSHAKES = REVISIONS.filter(({ lifecycle }) => lifecycle === 'handshake').map(
  ({ version }) => version,
);

async function json(words: readonly string[]): Promise<unknown> {
  const { stdout } = await plumb(words);
  return JSON.parse(stdout);
}

describe.concurrent.each(VERSIONS)('against the demo server in %s', (version) => {
  const pinned = ['--revision', version];

  it('lists everything', async () => {
    const { code, stdout, stderr } = await plumb(['list', ...pinned, ...DEMO]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^(Plumb demo|plumb-demo) .*, protocol revision ${version}$`, 'm'));
    expect(stdout).toMatch(/^Tools \(\d+\)\n {2}hello +Greets a person\./m);
    expect(stdout).toMatch(/^Resources \(\d+\)$/m);
    expect(stdout).toMatch(/^Resource templates \(\d+\)$/m);
    expect(stdout).toMatch(/^Prompts \(\d+\)$/m);
  });

  it('lists one kind as JSON', async () => {
    const listed = await json(['list', 'templates', '--json', ...pinned, ...DEMO]);
    expect(listed).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'demo://cities/{country}/{city}' }, {}, {}],
    });
  });

  it('calls a tool', async () => {
    const result = await json(['call', 'add', 'a=2', 'b=3', '--json', ...pinned, ...DEMO]);
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"sum":5}' }], isError: false });
  });

  it('reads a resource', async () => {
    const { code, stdout } = await plumb(['read', 'demo://cities/italy/rome', ...pinned, ...DEMO]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Seven hills.\n' });
  });

  it('gets a prompt', async () => {
    const { code, stdout } = await plumb(['prompt', 'review', 'code=x', 'language=rust', ...pinned, ...DEMO]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^user:\n {2}Review this rust code:\n\n {2}x\n\nassistant:\n/);
  });

  it('completes an argument', async () => {
    const { code, stdout } = await plumb(['complete', 'prompt:review', 'language', 'ty', ...pinned, ...DEMO]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'typescript\n' });
  });
});

describe.concurrent.each(HANDSHAKES)('against the official everything server in %s', (version) => {
  it('calls a tool', async () => {
    const { code, stdout } = await plumb([
      'call',
      'get-sum',
      'a=2',
      'b=3',
      '--revision',
      version,
      ...EVERYTHING,
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'The sum of 2 and 3 is 5.\n' });
  });
});

describe.concurrent('against the official everything server', () => {
  it('agrees on a revision and lists everything', async () => {
    const { code, stdout, stderr } = await plumb(['list', ...EVERYTHING]);
    // What the server prints is shown while it starts slowly, as it does on a busy machine.
    const said = stderr.replace('Starting default (STDIO) server...\n', '');
    expect({ code, said }).toEqual({ code: 0, said: '' });
    expect(stdout).toContain(`protocol revision ${HANDSHAKES.at(-1)}`);
    expect(stdout).toMatch(/^ {2}echo +Echoes back the input string$/m);
  });

  it('reads a resource, gets a prompt, completes an argument', async () => {
    const read = await plumb(['read', 'demo://resource/dynamic/text/1', ...EVERYTHING]);
    expect(read.stdout).toContain('Resource 1');
    const prompt = await plumb(['prompt', 'args-prompt', 'city=Paris', ...EVERYTHING]);
    expect(prompt.stdout).toContain('Paris');
    const complete = await plumb(['complete', 'prompt:completable-prompt', 'department', 'E', ...EVERYTHING]);
    expect(complete.stdout).toBe('Engineering\n');
  });

  it('answers what it asks', async () => {
    const words = ['call', 'trigger-sampling-request', 'prompt=Hi', '--sample-text', 'From the command line'];
    const { code, stdout } = await plumb([...words, ...EVERYTHING]);
    expect(code).toBe(0);
    expect(stdout).toContain('From the command line');
  });
});
