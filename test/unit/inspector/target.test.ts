/** Names of servers that were given none, and addresses that come back from a page with masks. */

import { describe, expect, it } from 'vitest';
import {
  addressOf,
  type InspectedTarget,
  KEPT,
  nameOf,
  unmasked,
} from '../../../src/inspector/servers/target.js';

const command = (line: string): InspectedTarget => {
  const [program = '', ...args] = line.split(' ');
  return { kind: 'command', command: program, args, env: {} };
};

it.each([
  ['npx -y @modelcontextprotocol/server-everything', 'server-everything'],
  ['node node_modules/@modelcontextprotocol/server-memory/dist/index.js', 'server-memory'],
  ['node /home/me/weather/src/index.ts', 'weather'],
  ['node weather.js', 'weather.js'],
  ['node index.js', 'index.js'],
  ['uvx mcp-server-git --repository .', 'mcp-server-git'],
  ['./my-server', 'my-server'],
])('%s is called %s', (line, name) => {
  expect(nameOf(command(line))).toBe(name);
});

describe('an address that a page sends back', () => {
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';

  it('keeps the variables and arguments that it shows masked', () => {
    const before: InspectedTarget = {
      kind: 'command',
      command: 'node',
      args: ['a.js', `--key=${secret}`],
      env: { KEY: secret, MODE: 'x' },
    };
    const shown = addressOf(before);
    if (shown.kind !== 'command') throw new Error('It is a command');
    expect(JSON.stringify(shown)).not.toContain(secret);
    const edited: InspectedTarget = {
      kind: 'command',
      command: 'node',
      args: [...shown.args, '--more'],
      env: { KEY: KEPT, MODE: 'y' },
    };
    expect(unmasked(edited, before)).toMatchObject({
      args: ['a.js', `--key=${secret}`, '--more'],
      env: { KEY: secret, MODE: 'y' },
    });
  });

  it('keeps the headers that it shows masked, and forgets removed ones', () => {
    const before: InspectedTarget = {
      kind: 'url',
      url: 'https://example.com/mcp',
      headers: { Authorization: `Bearer ${secret}`, 'X-Old': '1' },
    };
    const shown = addressOf(before);
    if (shown.kind !== 'url') throw new Error('It is a URL');
    const edited: InspectedTarget = {
      kind: 'url',
      url: shown.url,
      headers: { Authorization: shown.headers.Authorization ?? '', 'X-New': '2' },
    };
    expect(unmasked(edited, before)).toEqual({
      kind: 'url',
      url: 'https://example.com/mcp',
      headers: { Authorization: `Bearer ${secret}`, 'X-New': '2' },
    });
  });
});
