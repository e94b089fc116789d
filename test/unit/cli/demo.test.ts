import { afterEach, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import {
  accept,
  acceptDefaults,
  type Client,
  type ConnectOptions,
  connect,
} from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { Server } from '../../../src/server/index.js';

const open: Client[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function client(options: ConnectOptions = {}, server: Server = createDemoServer()): Promise<Client> {
  const connected = await connect(server, options);
  open.push(connected);
  return connected;
}

const HANDLERS: ConnectOptions = {
  elicit: (request) => {
    if (request.mode === 'url') return accept();
    const { requestedSchema } = request;
    const required = (requestedSchema.required ?? []).map((name): [string, string | boolean] => {
      return [name, requestedSchema.properties[name]?.type === 'boolean' ? true : 'Bo'];
    });
    return accept({ ...Object.fromEntries(required), ...acceptDefaults(requestedSchema).content });
  },
  sample: ({ tools, messages }) => {
    const content =
      tools === undefined || messages.length > 1
        ? { type: 'text' as const, text: `Answer ${messages.length}` }
        : { type: 'tool_use' as const, id: 't', name: 'multiply', input: { a: 6, b: 7 } };
    return { role: 'assistant', model: 'test', content };
  },
  sampleTools: true,
  roots: [{ uri: 'file:///work', name: 'work' }],
};

const VERSIONS = REVISIONS.map(({ version }) => version);
const ASKING = REVISIONS.filter(({ asks }) => asks.has('elicitation/create')).map(({ version }) => version);
const WITH_SAMPLING_TOOLS = REVISIONS.filter(({ samplingTools }) => samplingTools).map(
  ({ version }) => version,
);

async function textOf(connected: Client, tool: string, args?: { [name: string]: unknown }): Promise<string> {
  const result = await connected.tools.call(tool, args);
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');
}

describe.each(VERSIONS)('the demo server in %s', (version) => {
  it('describes everything it has, always in the same order', async () => {
    const connected = await client({ revisions: [version], cache: false });
    const lists = [await connected.tools.list(), await connected.tools.list(), await connected.tools.list()];
    const [tools = []] = lists;
    expect(new Set(lists.map((list) => list.map(({ name }) => name).join())).size).toBe(1);
    expect(tools.filter(({ description }) => !description)).toEqual([]);
    expect((await connected.prompts.list()).filter(({ description }) => !description)).toEqual([]);
  });

  it('has a first tool and a first resource that work without knowing anything', async () => {
    const connected = await client({ revisions: [version] });
    const [tool] = await connected.tools.list();
    const [resource] = await connected.resources.list();
    expect(await connected.tools.call(tool?.name ?? '', {})).toMatchObject({ isError: false });
    expect((await connected.resources.read(resource?.uri ?? '')).contents).toHaveLength(1);
  });

  it('reports progress, logs, and fails in every way', async () => {
    const logged: string[] = [];
    const seen: number[] = [];
    const connected = await client({
      revisions: [version],
      logLevel: 'info',
      onLog: ({ level }) => logged.push(level),
    });
    const options = { onProgress: ({ progress }: { progress: number }) => seen.push(progress) };
    await connected.tools.call('count', { to: 3, delayMs: 0 }, options);
    await connected.tools.call('log');
    expect(seen).toEqual([1, 2, 3]);
    expect(logged).toEqual(['info', 'warning', 'error']);
    expect(await connected.tools.call('fail')).toMatchObject({ isError: true });
    await expect(connected.tools.call('fail', { how: 'protocol' })).rejects.toMatchObject({
      rpcCode: -32050,
    });
  });

  it('completes arguments, knowing those before', async () => {
    const connected = await client({ revisions: [version] });
    const city = { type: 'ref/resource', uri: 'demo://cities/{country}/{city}' } as const;
    const { completion } = await connected.completion.complete(city, { name: 'country', value: 'I' });
    expect(completion.values).toEqual(['italy']);
    const review = { type: 'ref/prompt', name: 'review' } as const;
    const languages = await connected.completion.complete(review, { name: 'language', value: 'ty' });
    expect(languages.completion.values).toEqual(['typescript']);
  });

  it('asks for roots and for the model', async () => {
    const connected = await client({ revisions: [version], ...HANDLERS });
    expect(await textOf(connected, 'ask_roots')).toBe('work: file:///work');
    expect(await textOf(connected, 'ask_model')).toBe('test answered: Answer 1');
  });

  it('changes what it offers, and tells whoever listens', async () => {
    const connected = await client({ revisions: [version], cache: false });
    const heard: string[] = [];
    connected.on('toolsChanged', () => heard.push('tools'));
    await connected.resources.subscribe('demo://note', ({ uri }) => heard.push(uri));
    await connected.tools.call('write_note', { text: 'Milk' });
    await expect.poll(() => heard).toEqual(['demo://note']);
    expect((await connected.resources.read('demo://note')).contents).toMatchObject([{ text: 'Milk' }]);
    await connected.tools.call('toggle_bonus');
    await expect.poll(() => heard).toEqual(['demo://note', 'tools']);
    expect(await textOf(connected, 'bonus')).toBe('You found the bonus tool.');
    await connected.tools.call('toggle_bonus');
    await expect(connected.tools.call('bonus')).rejects.toThrow('Unknown tool: bonus');
  });
});

describe.each(ASKING)('questions of the demo server in %s', (version) => {
  it('reserve a table once, however often the handler runs', async () => {
    const connected = await client({ revisions: [version], ...HANDLERS });
    expect(await textOf(connected, 'book_table')).toBe('Reservation 1 is confirmed.');
    expect(await textOf(connected, 'book_table')).toBe('Reservation 2 is confirmed.');
  });

  it('come all at once, and as a form', async () => {
    const connected = await client({ revisions: [version], ...HANDLERS });
    expect(await textOf(connected, 'ask_everything')).toBe('Answer 1 Bo, you work in 1 place(s).');
    expect(await textOf(connected, 'ask_form')).toContain('"guests": 2');
  });

  it('are only those that the client can answer', async () => {
    const connected = await client({ revisions: [version], sample: HANDLERS.sample });
    await expect(connected.tools.call('ask_everything')).rejects.toMatchObject({
      data: { requiredCapabilities: { elicitation: {} } },
    });
  });
});

describe.each(WITH_SAMPLING_TOOLS)('sampling with tools in %s', (version) => {
  it('lets the model calculate before it answers', async () => {
    const connected = await client({ revisions: [version], ...HANDLERS });
    expect(await textOf(connected, 'ask_model_with_tools')).toBe('Answer 3');
    expect(await textOf(connected, 'ask_page')).toBe('The user chose to accept.');
  });
});

describe('options of the demo server', () => {
  it('fill several pages', async () => {
    const connected = await client({}, createDemoServer({ extraTools: 120, pageSize: 50 }));
    expect((await connected.tools.page()).items).toHaveLength(50);
    expect((await connected.tools.list()).map(({ name }) => name)).toContain('extra_120');
  });

  it('narrow what it speaks', async () => {
    const [oldest = ''] = VERSIONS;
    const connected = await client({}, createDemoServer({ revisions: [oldest] }));
    expect(connected.revision).toBe(oldest);
  });
});
