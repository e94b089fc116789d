/** The command line that runs one failed test again, alone. */

import type { CaseResult } from '../../testing/run/result.js';
import type { Suite } from '../../testing/suite/definition.js';
import type { TestFlags } from './test-flags.js';

export function repeatCommand(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TestFlags,
  suite: Suite,
): (result: Omit<CaseResult, 'repeat'>) => string {
  const list = (flag: string, values: readonly string[] | undefined): string[] =>
    values === undefined ? [] : [flag, values.join(',')];
  const single = (flag: string, value: string | undefined): string[] =>
    value === undefined ? [] : [flag, value];
  const { revisions, transports } = suite.settings;
  const isMatrix = {
    revision: revisions.length > 1 || (flags.revision?.length ?? 0) > 0,
    transport: transports.length > 1 || (flags.transport?.length ?? 0) > 0,
    server: suite.servers.length > 1,
  };
  return ({ name, type, server, revision, transport }) => {
    const own = type === 'connection' || type === 'capability' ? [] : ['--case', name];
    const parts = [
      ...words,
      ...single('--config', flags.config),
      ...single('--mcp-config', flags.mcpConfig),
      ...single('--url', flags.url),
      ...single('--server', isMatrix.server ? server : flags.server),
      ...list('--args', flags.args),
      ...list('--tools', flags.tools),
      ...list('--resources', flags.resources),
      ...list('--prompts', flags.prompts),
      ...own,
      ...(isMatrix.revision && revision !== '' ? ['--revision', revision] : []),
      ...(isMatrix.transport && transport !== '' ? ['--transport', transport] : []),
      ...(flags.strict === true ? ['--strict'] : []),
      ...single('--timeout', flags.timeout),
      ...(flags.env ?? []).flatMap((variable) => ['--env', variable.replace(/=.*$/s, '')]),
    ];
    const tail = command === undefined ? [] : ['--', ...command];
    return ['plumb', 'test', ...parts, ...tail].map(quote).join(' ');
  };
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
