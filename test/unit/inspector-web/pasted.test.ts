/** What people paste to add servers. */

import { describe, expect, it } from 'vitest';
import { parsePasted } from '../../../src/inspector/web/panels/servers/pasted.js';
import { draftOf, NEW_SERVER, serverOf } from '../../../src/inspector/web/panels/servers/server-draft.js';

describe('a pasted text', () => {
  const entry = { command: 'npx', args: ['-y', 'server'], env: { KEY: '1' } };
  const command = { kind: 'command', ...entry };

  it.each([
    ['an mcpServers block', { mcpServers: { one: entry } }, [{ ...command, name: 'one' }]],
    ['a block of VS Code', { servers: { one: entry } }, [{ ...command, name: 'one' }]],
    ['the inside of a block', { one: entry }, [{ ...command, name: 'one' }]],
    ['one entry', entry, [command]],
    [
      'an entry with a URL',
      { mcpServers: { far: { url: 'https://example.com/mcp', headers: { A: 'b' } } } },
      [{ kind: 'url', name: 'far', url: 'https://example.com/mcp', headers: { A: 'b' } }],
    ],
  ])('is %s', (_what, pasted, servers) => {
    expect(parsePasted(JSON.stringify(pasted))).toEqual({ ok: true, servers });
  });

  it('is a block without the brackets around it, a URL, or a command line', () => {
    expect(parsePasted('"one": { "command": "a" },')).toMatchObject({ ok: true, servers: [{ name: 'one' }] });
    expect(parsePasted(' https://example.com/mcp ')).toEqual({
      ok: true,
      servers: [{ kind: 'url', url: 'https://example.com/mcp' }],
    });
    expect(parsePasted(`$ KEY=1 npx -y "my server"`)).toEqual({
      ok: true,
      servers: [{ kind: 'command', command: 'npx', args: ['-y', 'my server'], env: { KEY: '1' } }],
    });
  });

  it.each(['', '{ "mcpServers": ', '{"a": 1}', '{"mcpServers": {"x": {}}}'])('is refused: %s', (text) => {
    expect(parsePasted(text)).toMatchObject({ ok: false });
  });
});

it('a server goes through its form and back', () => {
  const draft = {
    ...NEW_SERVER,
    kind: 'command',
    line: 'node "with blanks.js" --flag',
    env: 'A=1',
    callTimeout: '0',
    scopes: 'read write',
  } as const;
  expect(serverOf(draft)).toEqual({
    kind: 'command',
    command: 'node',
    args: ['with blanks.js', '--flag'],
    env: { A: '1' },
    revision: null,
    settings: { callTimeoutMs: 0, oauth: { scopes: ['read', 'write'] } },
  });
  const view = {
    id: 'server-1',
    name: 'one',
    address: { kind: 'command', command: 'node', args: ['with blanks.js'], env: ['A'] },
    source: { kind: 'page' },
    state: 'idle',
    retries: 0,
    history: [],
    pinned: null,
    settings: { startTimeoutMs: 1_500 },
    health: { waiting: 0, strays: { late: 0, duplicate: 0, unknown: 0, malformed: 0 }, faults: [] },
    subscriptions: [],
    logLevel: null,
    roots: { roots: [], ask: false },
  } as const;
  expect(draftOf(view)).toMatchObject({
    line: 'node "with blanks.js"',
    env: 'A=••••••',
    startTimeout: '1.5',
  });
});
