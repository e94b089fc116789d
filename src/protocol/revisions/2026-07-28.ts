/**
 * The break: no handshake, no session, no server-to-client requests. Every request carries its own envelope,
 * questions to the user travel as `input_required` results, changes on listen streams.
 */

import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../errors.js';
import { revision20251125 } from './2025-11-25.js';
import { derive, type Revision } from './revision.js';

export const revision20260728: Revision = derive(revision20251125, {
  version: '2026-07-28',
  lifecycle: 'stateless',

  clientRequests: new Set([
    'server/discover',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'subscriptions/listen',
  ]),
  clientNotifications: new Set(['notifications/cancelled']),
  serverRequests: new Set(),
  serverNotifications: new Set([
    'notifications/cancelled',
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
    'notifications/prompts/list_changed',
    'notifications/subscriptions/acknowledged',
  ]),

  askBy: 'input_required',
  askableMethods: new Set(['tools/call', 'prompts/get', 'resources/read']),

  resourceNotFoundCode: INVALID_PARAMS,
  missingCapabilityCode: MISSING_CAPABILITY,
  cacheable: new Set([
    'server/discover',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
  ]),
  changes: 'listen',
  tasks: 'extension',
  logLevel: 'request',

  structuredContent: 'any',
  elicitationId: false,
  reads: {
    serverCapabilities: ['-tasks'],
    clientCapabilities: ['-tasks'],
    rootsCapability: ['-listChanged'],
    tool: ['-execution'],
    samplingParams: ['-task'],
    callParams: ['-task', 'inputResponses', 'requestState'],
    cacheHints: ['ttlMs', 'cacheScope'],
  },
  http: {
    sessions: false,
    versionHeader: 'every_request',
    mirroredHeaders: true,
    polling: false,
    disconnect: 'cancels',
    errorStatus: new Map([
      [METHOD_NOT_FOUND, 404],
      [HEADER_MISMATCH, 400],
      [MISSING_CAPABILITY, 400],
      [UNSUPPORTED_VERSION, 400],
    ]),
  },
});
