import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plumb-completion-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const demo = { command: process.execPath, args: [MAIN, 'demo', '--stdio'] };
writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { demo } }));

/** What bash offers for a line, through the script as users load it. */
function offered(line: string): string[] {
  const script = `
    plumb() { "${process.execPath}" "${MAIN}" "$@"; }
    compopt() { :; }
    source <(plumb completion bash)
    COMP_LINE="${line}" COMP_POINT=${line.length}
    _plumb_completion
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { ...process.env, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') };
  const text = execFileSync('bash', ['-c', script], { cwd: folder, env, encoding: 'utf8' });
  return text.split('\n').filter((word) => word !== '');
}

it('completes commands, names of the config, tools and arguments of a running server in bash', () => {
  expect(offered('plumb cal')).toEqual(['call']);
  expect(offered('plumb call de')).toEqual(['demo']);
  expect(offered('plumb call demo book')).toEqual(['book_table']);
  expect(offered('plumb call demo book_table ')).toEqual(['guests=']);
});

it('prints a script for zsh and fish, and names the shells that it knows', () => {
  const script = (shell: string): string =>
    execFileSync(process.execPath, [MAIN, 'completion', shell], { encoding: 'utf8' });
  expect(script('zsh')).toContain('compdef _plumb plumb');
  expect(script('fish')).toContain('complete -c plumb');
  expect(() => script('tcsh')).toThrow('bash, zsh or fish');
});
