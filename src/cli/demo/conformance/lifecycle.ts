/** Tools that set off notifications, or a reconnection, while the suite watches the streams. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from '../../../server/index.js';

const SLOW_MS = 100;
const RETRY_MS = 200;

export function addLifecycleFixtures(server: Server): void {
  server.tool(
    'test_trigger_tool_change',
    { description: 'Conformance: announces a change of the list of tools.' },
    () => {
      server.listChanged('tools');
      return 'The list of tools was announced as changed.';
    },
  );

  server.tool(
    'test_trigger_prompt_change',
    { description: 'Conformance: announces a change of the list of prompts.' },
    () => {
      server.listChanged('prompts');
      return 'The list of prompts was announced as changed.';
    },
  );

  server.tool(
    'test_reconnection',
    { description: 'Conformance: lets go of the client, which reconnects for the answer.' },
    async (_args, ctx) => {
      ctx.release(RETRY_MS);
      await delay(SLOW_MS, undefined, { signal: ctx.signal });
      return 'Reconnection test completed.';
    },
  );
}
