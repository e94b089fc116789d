import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderContents, renderMessages, renderToolResult } from '../../../src/cli/output/content.js';
import {
  promptEntry,
  renderSection,
  resourceEntry,
  signature,
  toolEntry,
} from '../../../src/cli/output/lists.js';
import { bytesOfBlocks, save } from '../../../src/cli/output/save.js';
import { describeProgress, StatusLine } from '../../../src/cli/output/status.js';
import { createTerminal, type Terminal } from '../../../src/cli/output/terminal.js';
import type { ContentBlock } from '../../../src/protocol/index.js';

const ESC = '\u001b';

function screen(
  columns: number | undefined,
  environment: Record<string, string> = {},
): Terminal & { written(): string } {
  let written = '';
  const stream = {
    ...(columns === undefined ? {} : { isTTY: true, columns }),
    write: (text: string) => {
      written += text;
    },
  };
  return { ...createTerminal(stream, environment), written: () => written };
}

const pipe = screen(undefined);
const plain = screen(60, { NO_COLOR: '1' });

describe('a terminal', () => {
  it('has colours only where somebody sees them and wants them', () => {
    expect(screen(80).style('bold', 'x')).toBe(`${ESC}[1mx${ESC}[22m`);
    expect(screen(80, { NO_COLOR: '1' }).style('bold', 'x')).toBe('x');
    expect(screen(80, { TERM: 'dumb' }).style('bold', 'x')).toBe('x');
    expect(pipe.style('bold', 'x')).toBe('x');
  });

  it('has a width, and a pipe has none', () => {
    expect(screen(100).columns).toBe(100);
    expect(screen(5).columns).toBe(40);
    expect(screen(0).columns).toBe(80);
    expect(pipe.columns).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('tool results', () => {
  const blocks: ContentBlock[] = [
    { type: 'text', text: `red ${ESC}[31m` },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'a://b', mimeType: 'text/plain', text: 'inside' } },
    { type: 'resource', resource: { uri: 'a://c', blob: 'AAAA' } },
    {
      type: 'resource_link',
      uri: 'a://d',
      name: 'd',
      size: 2_000,
      mimeType: 'text/plain',
      description: 'More',
    },
  ];

  it('show each kind of content', () => {
    expect(renderToolResult({ content: blocks.slice(1) }, pipe)).toBe(
      [
        '[image image/png 3 B]',
        '[resource a://b (text/plain)]',
        'inside',
        '[resource a://c]',
        '[binary application/octet-stream 3 B]',
        '[link d: a://d (text/plain, 2.0 kB)]',
        '  More',
      ].join('\n'),
    );
  });

  it('keep text as it is in a pipe, and harmless on a screen', () => {
    expect(renderToolResult({ content: blocks.slice(0, 1) }, pipe)).toBe(`red ${ESC}[31m`);
    expect(renderToolResult({ content: blocks.slice(0, 1) }, plain)).toBe('red \u241b[31m');
  });

  const text = (value: string): ContentBlock => ({ type: 'text', text: value });

  it('show structured content once', () => {
    const structuredContent = { b: [1], a: 'x' };
    expect(renderToolResult({ content: [text('{"a":"x","b":[1]}')], structuredContent }, pipe)).toBe(
      JSON.stringify(structuredContent, null, 2),
    );
    expect(renderToolResult({ content: [text('Done.')], structuredContent: [1] }, pipe)).toBe(
      'Done.\n[\n  1\n]',
    );
  });

  it('show once what is only wrapped as structured content', () => {
    const listing = '[FILE] a\n[DIR] b';
    expect(
      renderToolResult({ content: [text(listing)], structuredContent: { content: listing } }, pipe),
    ).toBe(listing);
    const entities = '[\n  { "name": "A" }\n]';
    const structuredContent = { entities: [{ name: 'A' }] };
    expect(renderToolResult({ content: [text(entities)], structuredContent }, pipe)).toBe(entities);
    expect(renderToolResult({ content: [text('1')], structuredContent: { sum: 1 } }, pipe)).toBe(
      '1\n{\n  "sum": 1\n}',
    );
  });

  it('show what nobody has heard of', () => {
    const block: ContentBlock[] = JSON.parse('[{"type":"hologram","data":1}]');
    expect(renderToolResult({ content: block }, pipe)).toContain('"hologram"');
  });
});

describe('resources and prompts', () => {
  it('print a single content without decoration', () => {
    expect(renderContents([{ uri: 'a://b', text: 'just this\n' }], pipe)).toBe('just this\n');
    expect(renderContents([{ uri: 'a://b', mimeType: 'audio/wav', blob: 'AAAA' }], pipe)).toBe(
      '[audio audio/wav 3 B]',
    );
  });

  it('tell several contents apart', () => {
    const contents = [
      { uri: 'a://b', text: 'one' },
      { uri: 'a://c', text: 'two' },
    ];
    expect(renderContents(contents, pipe)).toBe('[resource a://b]\none\n[resource a://c]\ntwo');
  });

  it('show who says what', () => {
    const messages = renderMessages(
      [
        { role: 'user', content: { type: 'text', text: 'a\nb' } },
        { role: 'assistant', content: { type: 'text', text: 'c' } },
      ],
      pipe,
    );
    expect(messages).toBe('user:\n  a\n  b\n\nassistant:\n  c');
  });
});

describe('lists', () => {
  const tools = [
    toolEntry({
      name: 'add',
      description: 'Adds two numbers, and says what the sum of both of them is.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' }, note: { type: 'string' } },
        required: ['a', 'b'],
      },
      annotations: { readOnlyHint: true },
    }),
    toolEntry({ name: 'subtract', inputSchema: { type: 'object' } }),
  ];

  it('are aligned and wrapped to the width of the terminal', () => {
    expect(renderSection('Tools', tools, plain)).toBe(
      [
        'Tools (2)',
        '  add       Adds two numbers, and says what the sum of both',
        '            of them is.',
        '            a=NUMBER b=NUMBER [note=TEXT] (read-only)',
        '  subtract',
      ].join('\n'),
    );
  });

  it('have one line for a description in a pipe', () => {
    expect(renderSection('Tools', tools, pipe).split('\n')).toHaveLength(4);
  });

  it('are shortened to two lines on a terminal, unless all of them is wanted', () => {
    const entry = { name: 'a', summary: 'word '.repeat(60), detail: '' };
    const short = renderSection('Tools', [entry], plain).split('\n');
    expect(short).toHaveLength(3);
    expect(short.at(-1)).toMatch(/word \.\.\.$/);
    expect(renderSection('Tools', [entry], plain, true).split('\n').length).toBeGreaterThan(3);
  });

  it('give a long name a line of its own', () => {
    const entry = resourceEntry({
      uri: `file:///${'long/'.repeat(10)}`,
      name: 'long',
      size: 5,
      mimeType: 'text/plain',
    });
    expect(renderSection('Resources', [entry], plain).split('\n')).toEqual([
      'Resources (1)',
      `  ${entry.name}`,
      '    long',
      '    text/plain, 5 B',
    ]);
  });

  it('cannot be faked by a description', () => {
    const entry = toolEntry({
      name: 'a',
      description: 'b\n  rm  Deletes all',
      inputSchema: { type: 'object' },
    });
    expect(renderSection('Tools', [entry], pipe)).toBe('Tools (1)\n  a  b rm Deletes all');
  });

  it('show arguments as they are written', () => {
    const properties = {
      when: { type: 'string', enum: ['now', 'much later'] },
      ids: { type: 'array', items: { type: 'integer' } },
      deep: { type: 'object' },
      on: { type: 'boolean' },
      any: {},
      both: { type: ['string', 'null'] },
    };
    expect(signature({ type: 'object', properties, required: ['when'] })).toBe(
      "when=now|'much later' [ids=INTEGER...] [deep=JSON] [on=true|false] [any=VALUE] [both=TEXT|null]",
    );
    expect(promptEntry({ name: 'p', arguments: [{ name: 'a', required: true }, { name: 'b' }] }).detail).toBe(
      'a=TEXT [b=TEXT]',
    );
  });
});

describe('the status line', () => {
  it('shows how far a call has come', () => {
    expect(describeProgress({ progressToken: 1, progress: 1, total: 2, message: 'half\nway' }, 80)).toBe(
      `[${'#'.repeat(12)}${'-'.repeat(12)}]  50% half way`,
    );
    expect(describeProgress({ progressToken: 1, progress: 3 }, 80)).toBe('3');
    expect(describeProgress({ progressToken: 1, progress: 9, total: 3 }, 80)).toContain('100%');
    expect(describeProgress({ progressToken: 1, progress: 1, message: 'x'.repeat(100) }, 40)).toHaveLength(
      38,
    );
  });

  it('makes way for other output, and comes back', () => {
    const terminal = screen(80);
    const status = new StatusLine(terminal);
    status.progress({ progressToken: 1, progress: 7 });
    status.print('a line');
    status.clear();
    expect(terminal.written()).toBe(`7\r${ESC}[2Ka line\n7\r${ESC}[2K`);
  });

  it('is silent in a pipe', () => {
    const terminal = screen(undefined);
    const status = new StatusLine(terminal);
    status.progress({ progressToken: 1, progress: 7 });
    status.print('a line');
    expect(terminal.written()).toBe('a line\n');
  });
});

describe('saving', () => {
  it('writes binary content, numbered when there is more than one', () => {
    const directory = mkdtempSync(join(tmpdir(), 'plumb-save-'));
    const path = join(directory, 'out.bin');
    const image = (data: string): ContentBlock => ({ type: 'image', data, mimeType: 'image/png' });
    const lines = save(path, bytesOfBlocks([{ type: 'text', text: 'x' }, image('QQ=='), image('Qg==')]));
    expect(lines).toEqual([`Saved 1 B to ${path}`, `Saved 1 B to ${join(directory, 'out-2.bin')}`]);
    expect(readFileSync(path, 'utf8')).toBe('A');
    expect(readFileSync(join(directory, 'out-2.bin'), 'utf8')).toBe('B');
    rmSync(directory, { recursive: true });
  });

  it('falls back to text, and says when there is nothing', () => {
    expect(
      bytesOfBlocks([
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ]).map(String),
    ).toEqual(['a\nb']);
    expect(save('unused', [])).toEqual(['Nothing to save: the result has no content']);
  });
});
