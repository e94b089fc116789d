/** Batches leave; structured tool output, resource links, elicitation, titles and the version header come. */

import { revision20250326 } from './2025-03-26.js';
import { derive, plus, type Revision } from './revision.js';

export const revision20250618: Revision = derive(revision20250326, {
  version: '2025-06-18',

  serverRequests: plus(revision20250326.serverRequests, 'elicitation/create'),
  asks: plus(revision20250326.asks, 'elicitation/create'),

  batching: 'refused',
  structuredContent: 'object',
  elicitation: 'basic_form',
  contentTypes: plus(revision20250326.contentTypes, 'resource_link'),
  reads: {
    implementation: ['title'],
    clientCapabilities: ['elicitation'],
    tool: ['title', 'outputSchema', '_meta'],
    resource: ['title', '_meta'],
    resourceTemplate: ['title', '_meta'],
    resourceContents: ['_meta'],
    prompt: ['title', '_meta'],
    promptArgument: ['title'],
    content: ['_meta'],
    annotations: ['lastModified'],
    root: ['_meta'],
    completeParams: ['context'],
    promptReference: ['title'],
  },
  http: { versionHeader: 'after_initialize' },
});
