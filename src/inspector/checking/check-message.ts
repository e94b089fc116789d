/** What a message has that the schema of its revision does not allow: where, and which rule. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { findRevision } from '../../protocol/revisions/index.js';
import { issuesOf, type ShapeCheck, shapesOf } from '../../validate/schemas/index.js';
import type { MessageProblem } from '../api.js';
import type { StoredMessage } from '../timeline/stored.js';

/** What is needed of a message to check it. */
export interface CheckedMessage extends Pick<StoredMessage, 'kind' | 'direction' | 'text'> {
  readonly method: string | undefined;
  readonly revision: string | undefined;
}

const MAX_PROBLEMS = 10;

export function checkMessage(message: CheckedMessage): readonly MessageProblem[] {
  const { method, revision: version, kind, direction } = message;
  const revision = version === undefined ? undefined : findRevision(version);
  if (revision === undefined || method === undefined) return [];
  const value = parsed(message.text);
  if (!isRecord(value)) return [];
  const shapes = shapesOf(revision);
  const fromServer = direction === 'to-client';
  switch (kind) {
    case 'request':
      return broken(
        (fromServer ? shapes.serverRequests : shapes.clientRequests).get(method),
        value,
        'params',
      );
    case 'notification':
      return broken(
        (fromServer ? shapes.serverNotifications : shapes.clientNotifications).get(method),
        value,
        'params',
      );
    case 'result':
      return hasOwnShape(value.result)
        ? []
        : broken((fromServer ? shapes.serverResults : shapes.clientResults).get(method), value, 'result');
    default:
      return [];
  }
}

/** An interim result, or a task in place of the result. */
function hasOwnShape(result: unknown): boolean {
  if (!isRecord(result)) return false;
  return result.resultType === 'input_required' || result.resultType === 'task' || isRecord(result.task);
}

function broken(
  shape: ShapeCheck | undefined,
  value: JsonObject,
  part: 'params' | 'result',
): MessageProblem[] {
  if (shape === undefined) return [];
  return issuesOf(shape, value[part] ?? {})
    .slice(0, MAX_PROBLEMS)
    .map((issue) => {
      const at = issue.startsWith('the value ') ? '' : (/^\S+/.exec(issue)?.[0] ?? '');
      const message = issue.slice(at === '' ? 'the value '.length : at.length).trim();
      const join = at === '' || at.startsWith('[') ? '' : '.';
      return { path: `${part}${join}${at}`, message };
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
