/** A folder that the servers of one journey may work in, and the mark by which its processes are found. */

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { expectNoProcesses } from './processes.js';

export interface Workspace {
  readonly folder: string;
  /** Every process of the journey has it in its environment. */
  readonly mark: string;
  path(...names: string[]): string;
  write(name: string, content: string | object): string;
}

const KUBECONFIG = `apiVersion: v1
kind: Config
clusters: [{ name: nowhere, cluster: { server: "http://127.0.0.1:9" } }]
users: [{ name: nobody, user: {} }]
contexts: [{ name: nowhere, context: { cluster: nowhere, user: nobody } }]
current-context: nowhere
`;

/** Call it once in a file: when the file ends, no process with the mark may be left. */
export function createWorkspace(): Workspace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plumb-journey-')));
  const mark = randomUUID();
  for (const name of ['notes', 'repository', 'home']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'notes', 'bern.md'), '# Bern\n\nThe weather is fine.\n');
  writeFileSync(join(folder, 'kubeconfig'), KUBECONFIG);
  afterAll(async () => {
    await expectNoProcesses(mark);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    mark,
    path: (...names) => join(folder, ...names),
    write: (name, content) => {
      const path = join(folder, name);
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
      return path;
    },
  };
}
