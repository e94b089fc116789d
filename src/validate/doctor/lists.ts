/** What every client does once it is connected: it asks for the lists that the server declares. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { openSession } from '../session/open.js';
import type { WireReply } from '../session/reply.js';
import type { ValidatorSession } from '../session/session.js';
import type { ValidationTarget } from '../target.js';
import { Recorder } from '../wire/recorder.js';
import { withStderr } from './stderr.js';
import type { Step } from './step.js';

interface List {
  readonly capability: string;
  readonly method: string;
  readonly field: string;
  /** Many servers with resources have no templates, and refuse the question. */
  readonly optional?: boolean;
}

const LISTS: readonly List[] = [
  { capability: 'tools', method: 'tools/list', field: 'tools' },
  { capability: 'prompts', method: 'prompts/list', field: 'prompts' },
  { capability: 'resources', method: 'resources/list', field: 'resources' },
  {
    capability: 'resources',
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    optional: true,
  },
];

const METHOD_NOT_FOUND = -32601;

export async function diagnoseLists(
  target: ValidationTarget,
  revision: Revision,
  timeoutMs: number,
): Promise<readonly Step[]> {
  const recorder = new Recorder();
  const { session, greeting } = await openSession(
    { target, recorder, revision, timeoutMs },
    { standalone: false },
  );
  try {
    const introduction = session.stateless ? await session.request('server/discover') : greeting;
    const capabilities = introduction?.kind === 'result' ? introduction.result.capabilities : undefined;
    const declared = isRecord(capabilities) ? capabilities : {};
    const steps: Step[] = [];
    for (const list of LISTS) {
      if (declared[list.capability] === undefined) continue;
      const step = await listStep(session, list);
      steps.push(step);
      if (!step.ok && session.connection.ended) break;
    }
    if (steps.length > 0) return withStderr(steps, session.connection);
    return [
      {
        name: 'lists',
        ok: true,
        warning: true,
        detail: 'the server declares no tools, prompts or resources',
        fix: 'Clients ask only for what is declared in capabilities.',
      },
    ];
  } finally {
    await session.close();
  }
}

async function listStep(session: ValidatorSession, { method, field, optional = false }: List): Promise<Step> {
  const reply = await session.request(method);
  if (reply.kind === 'result') return itemsStep(method, field, reply.result);
  if (optional && reply.kind === 'error' && reply.code === METHOD_NOT_FOUND)
    return { name: method, ok: true, detail: 'not served, which clients accept' };
  return { name: method, ok: false, ...failure(session, reply) };
}

function itemsStep(method: string, field: string, result: JsonObject): Step {
  const items = result[field];
  if (!Array.isArray(items))
    return {
      name: method,
      ok: false,
      detail: `the result has no array "${field}"`,
      fix: 'Clients refuse this result; see plumb validate.',
    };
  const more = result.nextCursor === undefined ? '' : ', and there are more pages';
  return { name: method, ok: true, detail: `${items.length} on the first page${more}` };
}

function failure(session: ValidatorSession, reply: WireReply): Pick<Step, 'detail' | 'fix'> {
  if (session.connection.ended)
    return {
      detail: session.connection.epitaph,
      fix: 'The server exited while it handled this request. Check its stderr, below, for the reason.',
    };
  if (reply.kind === 'error')
    return {
      detail: `error ${reply.code}: ${reply.text}`,
      fix: 'The server declares this list and cannot serve it: see its log.',
    };
  return {
    detail: reply.kind === 'silence' ? reply.received : 'the answer is not a JSON-RPC response',
    fix: 'Clients wait for this list and then give up: see the log of the server.',
  };
}
