/** The file of the hub as the commands for client configurations see it, and what clients get to use the hub. */

import type { ClientDefinition } from '../clients/client-definition.js';
import { clientById } from '../clients/definitions.js';
import type { CommandEntry } from '../clients/server-entry.js';
import { mayExist } from '../target/find-program.js';
import { currentHubPlaces } from './hub-places.js';

/** Its file has the format of Claude Code, with one more field. */
export function hubClient(perClient: boolean): ClientDefinition {
  const base = clientById('claude-code');
  return {
    ...base,
    id: 'hub',
    name: 'the hub',
    documentation: 'docs/hub.md',
    mixed: false,
    fields: [...base.fields, 'isolate', 'connectTimeout', 'cwd'],
    files: (scope) => (scope === 'global' ? [currentHubPlaces().config] : []),
    write: (entry, name) => ({ ...base.write(entry, name), ...(perClient ? { isolate: 'session' } : {}) }),
  };
}

/** `plumb connect NAME`, by its full path where `plumb` is not a command here. */
export function hubClientEntry(name: string): CommandEntry {
  const program = process.argv[1] ?? '';
  if (mayExist({ command: 'plumb' }) && process.platform !== 'win32')
    return { kind: 'stdio', command: 'plumb', args: ['connect', name], env: {} };
  return { kind: 'stdio', command: process.execPath, args: [program, 'connect', name], env: {} };
}
