/** The first published revision: the ground that the others are derived from. */

import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { RESOURCE_NOT_FOUND } from '../errors.js';
import type { Revision } from './revision.js';

export const revision20241105: Revision = {
  version: '2024-11-05',
  lifecycle: 'handshake',

  clientRequests: new Set([
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
  ]),
  clientNotifications: new Set([
    'notifications/initialized',
    'notifications/cancelled',
    'notifications/progress',
    'notifications/roots/list_changed',
  ]),
  serverRequests: new Set(['ping', 'sampling/createMessage', 'roots/list']),
  serverNotifications: new Set([
    'notifications/cancelled',
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/prompts/list_changed',
  ]),

  asks: new Set(['sampling/createMessage', 'roots/list']),
  askBy: 'server_request',
  askableMethods: new Set(),

  batching: 'refused',
  unreadableId: 'null',
  invalidArguments: 'error',
  resourceNotFoundCode: RESOURCE_NOT_FOUND,
  missingCapabilityCode: INVALID_REQUEST,
  cacheable: new Set(),
  changes: 'unsolicited',
  logLevel: 'session',

  structuredContent: 'none',
  elicitation: 'none',
  elicitationId: false,
  samplingTools: false,
  contentTypes: new Set(['text', 'image', 'resource']),
  reads: {
    implementation: [],
    serverCapabilities: [],
    clientCapabilities: [],
    rootsCapability: ['listChanged'],
    samplingCapability: [],
    elicitationCapability: [],
    tool: [],
    resource: [],
    resourceTemplate: [],
    resourceContents: [],
    prompt: [],
    promptArgument: [],
    content: [],
    annotations: [],
    root: [],
    progress: [],
    completeParams: [],
    promptReference: [],
    samplingParams: [],
    callParams: [],
    cacheHints: [],
  },

  http: {
    transport: 'sse',
    sessions: false,
    versionHeader: 'none',
    mirroredHeaders: false,
    polling: false,
    disconnect: 'continues',
    errorStatus: new Map(),
  },
};
