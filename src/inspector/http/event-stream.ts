/** Events for one page, as JSON lines. A page that does not read is cut off; it comes back and begins anew. */

import type { ServerResponse } from 'node:http';
import type { InspectorEvent } from '../api.js';
import type { InspectorCore } from '../core.js';
import { SECURITY_HEADERS } from './headers.js';

const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;
const HEARTBEAT_MS = 10_000;
export const MAX_STREAMS = 64;

export function streamEvents(core: InspectorCore, response: ServerResponse): void {
  response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  const write = (event: InspectorEvent): void => {
    if (response.writableLength > MAX_BACKLOG_BYTES) response.destroy();
    else response.write(`${JSON.stringify(event)}\n`);
  };
  write({ type: 'hello', snapshot: core.snapshot() });
  const unsubscribe = core.events.subscribe(write, () => response.end());
  const heartbeat = setInterval(() => response.write('\n'), HEARTBEAT_MS);
  heartbeat.unref();
  response.on('close', () => {
    unsubscribe();
    clearInterval(heartbeat);
  });
}
