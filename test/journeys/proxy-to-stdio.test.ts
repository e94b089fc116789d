/** Journey 3, the other way: a server behind a URL becomes a program with `plumb proxy`, and clients see no difference. */

import { expect, test } from 'vitest';
import { withoutCacheHints, withoutExecution } from './support/differences.js';
import { httpServers } from './support/http-servers.js';
import { type ClientTarget, openOfficial, type SdkName } from './support/official-clients.js';
import { PLUMB } from './support/plumb.js';
import { environment, type RealServer } from './support/servers.js';
import { type Snapshot, snapshot } from './support/snapshot.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();

async function seen(sdk: SdkName, target: ClientTarget, server: RealServer): Promise<Snapshot> {
  const client = await openOfficial(sdk, target);
  try {
    return await snapshot(client, server.harmless);
  } finally {
    await client.close();
  }
}

test.concurrent.for(httpServers(workspace))(
  'clients of $name see the same through a proxy over stdio as directly',
  async ({ server, start }, context) => {
    const url = await start(context);
    const proxy = {
      command: process.execPath,
      args: [PLUMB, 'proxy', url, '--stdio'],
      env: environment(workspace),
      cwd: workspace.folder,
    };
    const [directV1, throughV1, directV2, throughV2, stateless] = await Promise.all([
      seen('v1', { direct: url }, server),
      seen('v1', proxy, server),
      seen('v2', { direct: url }, server),
      seen('v2', proxy, server),
      seen('v2 stateless', proxy, server),
    ]);
    expect(withoutCacheHints(throughV1)).toEqual(withoutCacheHints(directV1));
    expect(withoutCacheHints(throughV2)).toEqual(withoutCacheHints(directV2));
    expect(stateless).toMatchObject(withoutExecution(withoutCacheHints(directV2)));
  },
);
