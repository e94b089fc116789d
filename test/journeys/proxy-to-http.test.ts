/** Journey 3, one way: a program becomes an HTTP server with `plumb proxy`, and clients see no difference. */

import { expect, test } from 'vitest';
import { withoutCacheHints, withoutExecution } from './support/differences.js';
import { openOfficial, type SdkName } from './support/official-clients.js';
import { serve } from './support/plumb.js';
import { type RealServer, realServers } from './support/servers.js';
import { type Snapshot, snapshot } from './support/snapshot.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();

async function seen(sdk: SdkName, target: RealServer | string, server: RealServer): Promise<Snapshot> {
  const client = await openOfficial(sdk, target);
  try {
    return await snapshot(client, server.harmless);
  } finally {
    await client.close();
  }
}

test.concurrent.for(realServers(workspace))(
  'clients of $name see the same through a proxy over HTTP as directly',
  async (server, context) => {
    const command = ['proxy', '--http', '0', '--', server.command, ...server.args];
    const { url } = await serve(context, workspace, command, { env: server.env });
    const [directV1, throughV1, directV2, throughV2, stateless] = await Promise.all([
      seen('v1', server, server),
      seen('v1', url, server),
      seen('v2', server, server),
      seen('v2', url, server),
      seen('v2 stateless', url, server),
    ]);
    expect(withoutCacheHints(throughV1)).toEqual(withoutCacheHints(directV1));
    expect(withoutCacheHints(throughV2)).toEqual(withoutCacheHints(directV2));
    // Results of that revision have fields of their own beside the same ones.
    expect(stateless).toMatchObject(withoutExecution(withoutCacheHints(directV2)));
  },
);
