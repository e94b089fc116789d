/** Every result, notification and request of a server against the shapes of the revision. */

import { isRecord } from '../../../jsonrpc/message.js';
import { URL_ELICITATION_REQUIRED } from '../../../protocol/errors.js';
import { type Check, observing, watch } from '../../check.js';
import { issuesOf, shapesOf } from '../../schemas/index.js';
import { sortTraffic } from '../../traffic.js';

/** Which requirement a misshapen result breaks; the schema itself where no other says so. */
const BY_METHOD: Readonly<Record<string, string>> = {
  initialize: '049',
  'server/discover': '069',
  'tools/list': '098',
  'tools/call': '106',
  'resources/list': '119',
  'resources/templates/list': '119',
  'resources/read': '120',
  'prompts/get': '135',
  'sampling/createMessage': '157',
  'notifications/message': '151',
  'notifications/progress': '092',
};

export const shapeWatches: readonly Check[] = [
  observing(
    watch('049 069 098 106 119 120 135 151 157 092 406', (probe) => {
      const shapes = shapesOf(probe.revision);
      const { exchanges, notifications, requests } = sortTraffic(probe.recorder.entries);
      const judge = (method: string, issues: readonly string[], received: string): void => {
        const id = applies(method, probe.ordinal);
        probe.pass(id);
        probe.pass('406');
        for (const issue of issues) {
          const message = `${method}: ${issue}`.replace(/\[\d+\]/g, '[]');
          probe.fail(id, message, { received, expected: 'the shape that the schema of the revision gives' });
        }
      };
      for (const { method, result, response, request } of exchanges) {
        const shape = shapes.serverResults.get(method);
        if (shape === undefined || result === undefined || request.hostile === true) continue;
        // An interim result, or a task in place of the result, has a shape of its own.
        if (result.resultType === 'input_required' || result.resultType === 'task' || isRecord(result.task))
          continue;
        judge(method, issuesOf(shape, result), response?.text ?? '');
      }
      for (const { method, params, entry } of notifications) {
        const shape = shapes.serverNotifications.get(method);
        if (shape !== undefined) judge(method, issuesOf(shape, params), entry.text);
      }
      for (const { method, params, entry } of requests) {
        const shape = shapes.serverRequests.get(method);
        if (shape !== undefined) judge(method, issuesOf(shape, params), entry.text);
      }
      for (const { result, response } of exchanges) {
        if (!isRecord(result?.inputRequests)) continue;
        for (const request of Object.values(result.inputRequests)) {
          const method = isRecord(request) && typeof request.method === 'string' ? request.method : '';
          const shape = shapes.serverRequests.get(method);
          if (shape === undefined || !isRecord(request)) continue;
          judge(method, issuesOf(shape, request.params), response?.text ?? '');
        }
      }
    }),
    '406',
  ),
  watch('058', (probe) => {
    const { notifications, requests, exchanges } = sortTraffic(probe.recorder.entries);
    if (exchanges.length > 0) probe.pass('058');
    for (const { error, response } of exchanges) {
      if (error?.code !== URL_ELICITATION_REQUIRED || probe.revision.elicitation === 'form_and_url') continue;
      probe.fail('058', `Error ${String(error.code)} does not exist in this revision`, {
        received: response?.text ?? '',
        expected: 'nothing that the revision does not know',
      });
    }
    for (const { method, entry } of notifications) {
      if (probe.revision.serverNotifications.has(method) || !KNOWN_LATER.has(method)) continue;
      probe.fail('058', `${method} does not exist in this revision`, {
        received: entry.text,
        expected: 'nothing that the revision does not know',
      });
    }
    for (const { method, entry } of requests) {
      if (probe.revision.serverRequests.has(method)) continue;
      probe.fail('058', `The request ${method} does not exist in this revision`, {
        received: entry.text,
        expected: 'nothing that the revision does not know',
      });
    }
  }),
];

const KNOWN_LATER: ReadonlySet<string> = new Set([
  'notifications/elicitation/complete',
  'notifications/tasks/status',
  'notifications/tasks',
  'notifications/subscriptions/acknowledged',
]);

function applies(method: string, revision: number): string {
  const id = BY_METHOD[method] ?? '406';
  if (id === '049') return revision === 5 ? '406' : id;
  if (id === '069') return revision === 5 ? id : '406';
  return id;
}
