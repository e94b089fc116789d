import { describe, expect, it } from 'vitest';
import { maskCommand, maskLine, secretValues } from '../../../src/protocol/secrets.js';

const KEY = 'abcdefghijklmnop';

describe('a command line', () => {
  it.each([
    [['server', `--api-key=${KEY}`], 'server --api-key=abc••••'],
    [['server', '--token', KEY, '--verbose'], 'server --token abc•••• --verbose'],
    [['env', `GITHUB_TOKEN=${KEY}`, 'server'], 'env GITHUB_TOKEN=abc•••• server'],
    [['remote', '--header', `Authorization: Bearer ${KEY}`], 'remote --header Authorization: Bear••••'],
    [['server', `postgres://user:${KEY}@db/main`], 'server postgres://••••@db/main'],
    [['server', '--password', 'x'], 'server --password ••••'],
  ])('%j shows no secret', (words, shown) => {
    expect(maskCommand(words)).toBe(shown);
  });

  it('shows everything else', () => {
    const words = ['npx', '-y', '@scope/server', '--port', '3000', '/data', '--author', 'me'];
    expect(maskCommand(words)).toBe('npx -y @scope/server --port 3000 /data --author me');
  });
});

describe('a line of a log', () => {
  it('shows no secret by its form, its name, or its value', () => {
    expect(maskLine(`GET https://user:${KEY}@host/x?api_key=${KEY} failed`)).not.toContain(KEY);
    expect(maskLine(`bad option: --api-key=${KEY}`)).not.toContain(KEY);
    expect(maskLine(`OPENAI_API_KEY: ${KEY} is invalid`)).not.toContain(KEY);
    expect(maskLine(`using ${KEY} now`, [KEY])).toBe('using abc•••• now');
  });

  it('stays as it is without one', () => {
    const line = 'Error: Cannot find module "/srv/token-store.js"; the key is missing';
    expect(maskLine(line, secretValues({ PATH: '/usr/bin', API_KEY: KEY }))).toBe(line);
  });
});
