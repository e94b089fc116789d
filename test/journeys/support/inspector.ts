/** `plumb inspect` of the installed package, and what its page does without its looks. */

import { InspectorPage } from '../../support/inspector-page.js';
import { found, startPlumb, stopAfter, type Test } from './plumb.js';
import type { Workspace } from './workspace.js';

/** Only what never happens reaches it, also on a busy machine. */
export const LIMIT_MS = 120_000;

export async function openInspector(
  test: Test,
  workspace: Workspace,
  words: readonly string[] = [],
): Promise<InspectorPage> {
  const running = startPlumb(workspace, ['inspect', '--no-open', ...words], {
    env: { XDG_CONFIG_HOME: workspace.path('home') },
  });
  stopAfter(test, running);
  const address = await found(running, /(http:\/\/127\.0\.0\.1:\d+\/t\/[\w-]+\/)/);
  return InspectorPage.at(new URL(address));
}

/** The server of the command line, as soon as it is ready; returns its id. */
export async function firstReady(page: InspectorPage): Promise<string> {
  const { snapshot } = await page.event('hello');
  const id = snapshot.servers[0]?.id ?? '';
  if (snapshot.servers[0]?.state !== 'ready') await page.state(id, 'ready', LIMIT_MS);
  return id;
}
