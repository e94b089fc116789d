/** Whether a server is what its lock says. */

import { readSurface } from '../../chain/lock/surface.js';
import { readLock } from '../../chain/node-lock-file.js';
import type { Client } from '../../client/client.js';
import { compareSurfaces } from '../contract/surface-change.js';
import type { CaseResult } from './result.js';

export async function lockCase(
  file: string,
  client: Client,
): Promise<Pick<CaseResult, 'status' | 'message' | 'failures'>> {
  const before = await readLock(file);
  const changes = compareSurfaces(before, await readSurface(client));
  const grave = changes.filter(({ level }) => level !== 'compatible');
  if (grave.length === 0)
    return { status: 'pass', message: `${changes.length} compatible changes`, failures: [] };
  const problems = grave.map(({ level, kind, name, what }) => ({
    message: `${level}: ${kind} ${name} ${what}`.replaceAll(/ +/g, ' '),
  }));
  return {
    status: 'fail',
    message: `${grave.length} changes since ${file} was written`,
    failures: [{ step: 'lock', problems, sent: [], received: [] }],
  };
}
