import { describe, expect, it } from 'vitest';
import {
  type Candidates,
  type CompletionSources,
  candidates,
} from '../../../../src/cli/completion/candidates.js';

const option = (flag: string, takesValue: boolean, choices: string[] = []) => ({
  flag,
  description: '',
  takesValue,
  choices,
});

const sources: CompletionSources = {
  commands: [
    { name: 'call', summary: 'call a tool', options: [option('--config', true), option('--json', false)] },
    {
      name: 'add',
      summary: '',
      options: [option('--client', true), option('--scope', true, ['global', 'project'])],
    },
    ...['list', 'prompt', 'read', 'connect', 'remove', 'hub', 'completion', 'chain'].map((name) => ({
      name,
      summary: '',
      options: [],
    })),
  ],
  clients: ['cursor', 'codex'],
  configNames: (config) => (config === 'other.json' ? ['other'] : ['files', 'forecast']),
  hubNames: () => ['memory'],
  entryNames: () => ['docs'],
  server: async (target) => {
    if (target !== 'files') throw new Error('unknown');
    const format = { name: 'format', description: '', values: ['json', 'text'] };
    const path = { name: 'path', description: 'Where', values: [] };
    return {
      tools: [{ name: 'search', description: 'Finds', arguments: [path, format] }],
      prompts: [{ name: 'summary', description: '', arguments: [path] }],
      resources: [{ name: 'file:///a', description: '' }],
    };
  },
};

async function values(line: string): Promise<string[] | 'files'> {
  const found: Candidates = await candidates(line.split(' '), sources);
  return found === 'files' ? found : found.map(({ value }) => value);
}

describe('completion', () => {
  it.each<[string, string[] | 'files']>([
    ['c', ['call', 'connect', 'completion', 'chain']],
    ['call f', ['files', 'forecast']],
    ['call --config other.json ', ['other']],
    ['call --', ['--config', '--json']],
    ['call files ', ['search']],
    ['call files search ', ['path=', 'format=']],
    ['call files search path=x ', ['format=']],
    ['call files search format=', ['format=json', 'format=text']],
    ['call files nothing ', []],
    ['prompt files ', ['summary']],
    ['prompt files summary ', ['path=']],
    ['read files f', ['file:///a']],
    ['list files t', ['tools', 'templates']],
    ['add --client c', ['cursor', 'codex']],
    ['add --scope ', ['global', 'project']],
    ['connect ', ['memory']],
    ['hub s', ['status', 'stop']],
    ['remove ', ['docs']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['chain ', 'files'],
    ['call echo -- node ', 'files'],
    ['unknown ', []],
  ])('offers for "%s" %j', async (line, expected) => {
    expect(await values(line)).toEqual(expected);
  });
});
