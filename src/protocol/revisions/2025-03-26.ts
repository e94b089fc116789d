/** Streamable HTTP replaces HTTP+SSE; batches; audio; tool annotations; the completions capability. */

import { revision20241105 } from './2024-11-05.js';
import { derive, plus, type Revision } from './revision.js';

export const revision20250326: Revision = derive(revision20241105, {
  version: '2025-03-26',

  /** Batches are specified in this revision only. */
  batching: 'accepted',
  contentTypes: plus(revision20241105.contentTypes, 'audio'),
  reads: {
    serverCapabilities: ['completions'],
    tool: ['annotations'],
    progress: ['message'],
  },
  http: { transport: 'streamable', sessions: true },
});
