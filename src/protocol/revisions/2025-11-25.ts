/** Icons; URL elicitation and richer forms; tools in sampling; tasks (experimental); SSE polling. */

import { revision20250618 } from './2025-06-18.js';
import { derive, plus, type Revision } from './revision.js';

const TASK_REQUESTS = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'] as const;

export const revision20251125: Revision = derive(revision20250618, {
  version: '2025-11-25',

  clientRequests: plus(revision20250618.clientRequests, ...TASK_REQUESTS),
  clientNotifications: plus(revision20250618.clientNotifications, 'notifications/tasks/status'),
  serverRequests: plus(revision20250618.serverRequests, ...TASK_REQUESTS),
  serverNotifications: plus(
    revision20250618.serverNotifications,
    'notifications/elicitation/complete',
    'notifications/tasks/status',
  ),

  unreadableId: 'omitted',
  tasks: 'core',
  /** Validation failures became tool results, so that the model can correct itself. */
  invalidArguments: 'tool_result',
  elicitation: 'form_and_url',
  elicitationId: true,
  samplingTools: true,
  reads: {
    implementation: ['icons', 'description', 'websiteUrl'],
    serverCapabilities: ['tasks'],
    clientCapabilities: ['tasks'],
    samplingCapability: ['context', 'tools'],
    elicitationCapability: ['form', 'url'],
    tool: ['icons', 'execution'],
    resource: ['icons'],
    resourceTemplate: ['icons'],
    prompt: ['icons'],
    samplingParams: ['tools', 'toolChoice', 'task'],
    callParams: ['task'],
  },
  http: { polling: true },
});
