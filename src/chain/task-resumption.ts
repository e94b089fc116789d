/**
 * Tasks of a chain whose node has died. A server behind a URL goes on with its own task, and so another node can follow
 * it there: it needs the id of that task, and in whose name the server is asked about it.
 */

import { TaskFollower } from '../client/features/task-follower.js';
import { readTask, type TaskState } from '../client/features/task-state.js';
import type { Sender } from '../client/options.js';
import type { Relay } from '../client/relay.js';
import { tasksExtension } from '../extensions/tasks/definition.js';
import { withoutRelation } from '../extensions/tasks/record.js';
import type { TaskOutcome } from '../extensions/tasks/running-task.js';
import { INTERNAL_ERROR } from '../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { ProtocolError } from '../protocol/errors.js';
import { errorFor, findRevision } from '../protocol/revisions/index.js';
import { encodeResult } from '../protocol/revisions/results.js';
import type { CallContext } from '../server/context.js';
import type { ResumedCall, TaskResumption } from '../server/tasks/task-service.js';
import type { Asker } from './asker.js';
import type { Instance, OwnedRequest } from './instance.js';
import { passedCapabilities } from './served.js';
import type { Upstream } from './upstream.js';
import type { Member } from './upstreams.js';

const METHOD = 'tools/call';
/** A server that counts its tasks, for each session anew, would give us the task of another client. */
const MIN_ID_LENGTH = 16;

interface Resume {
  /** The server's name in the chain. */
  readonly server: string;
  readonly taskId: string;
  /** By this the task is known to be the same. */
  readonly createdAt: string;
  /** Of the client, which reads the result. */
  readonly revision: string;
  readonly sender: Sender;
}

/** What another node needs to follow this task; undefined where none could. */
export function resumeOf(
  instance: Instance,
  relay: Relay,
  { id, createdAt }: TaskState,
  { peer }: CallContext,
): JsonObject | undefined {
  if (!instance.isRemote || id.length < MIN_ID_LENGTH || createdAt === undefined) return undefined;
  const passed = passedCapabilities(peer.capabilities);
  const extensions = { ...passed.extensions, [tasksExtension.id]: {} };
  const isPerRequest = relay.revision.lifecycle === 'stateless';
  const resume: Resume = {
    server: instance.name,
    taskId: id,
    createdAt,
    revision: peer.revision.version,
    sender: { info: peer.clientInfo, capabilities: isPerRequest ? { ...passed, extensions } : passed },
  };
  return { ...resume };
}

export function taskResumption(members: () => readonly Member[]): TaskResumption {
  const find = (resume: JsonObject): { readonly upstream: Upstream; readonly resume: Resume } | undefined => {
    const member = members().find(({ upstream }) => upstream.name === resume.server);
    if (member === undefined || !isResume(resume) || findRevision(resume.revision) === undefined)
      return undefined;
    return { upstream: member.upstream, resume };
  };
  return {
    accepts: (resume) => find(resume)?.upstream.resumable !== undefined,
    run: async (given, call) => {
      const found = find(given);
      const instance = found?.upstream.resumable;
      if (found === undefined || instance === undefined) return notResumed('the chain has no such server');
      return followAgain(instance, found.resume, call);
    },
    cancel: async (given) => {
      const found = find(given);
      const instance = found?.upstream.resumable;
      if (found === undefined || instance === undefined) return;
      await cancelThere(instance, found.resume);
    },
  };
}

/** The node of the task may have cancelled it already: a server then knows no such task, or refuses. */
async function cancelThere(instance: Instance, resume: Resume): Promise<void> {
  const { taskId } = resume;
  const asker: Asker = {
    principal: undefined,
    session: resume,
    ask: () => Promise.reject(new ProtocolError('invalid_request', 'The task was cancelled')),
    notify: () => undefined,
  };
  const request = requester(instance, await instance.open(), resume, asker);
  try {
    const found = readTask('tasks/get', await request('tasks/get', { taskId }, FIRST_TIMEOUT_MS));
    if (found.createdAt === resume.createdAt) await request('tasks/cancel', { taskId }, FIRST_TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
  }
}

/** Requests about the task, in the name of its client. */
function requester(
  instance: Instance,
  relay: Relay,
  { sender }: Resume,
  owner: Asker,
  until?: AbortSignal,
): (method: string, params: JsonObject, timeout: number) => Promise<JsonObject> {
  const given = relay.revision.lifecycle === 'stateless' ? sender : undefined;
  return (method, params, timeout) => {
    const signal = method === 'tasks/cancel' ? undefined : until;
    const outgoing: OwnedRequest = { method, params, sender: given, owner, options: { timeout, signal } };
    return instance.request(outgoing);
  };
}

async function followAgain(instance: Instance, resume: Resume, call: ResumedCall): Promise<TaskOutcome> {
  const revision = findRevision(resume.revision);
  if (revision === undefined) return notResumed('the revision of its client is unknown');
  const { taskId } = resume;
  try {
    const relay = await instance.open();
    const asker: Asker = {
      principal: undefined,
      session: call,
      ask: (method, params) => call.ask(method, params),
      notify: () => undefined,
    };
    const request = requester(instance, relay, resume, asker, call.signal);
    const found = readTask('tasks/get', await request('tasks/get', { taskId }, FIRST_TIMEOUT_MS));
    if (found.createdAt !== resume.createdAt) return notResumed('its server has another task of that id');
    const follower = new TaskFollower(
      {
        form: relay.revision.tasks === 'core' ? 'core' : 'extension',
        request,
        answer: (method, params) => call.ask(method, params),
        changed: ({ message }) => {
          if (message !== undefined) call.status(message);
        },
        failed: () => undefined,
      },
      taskId,
      call.signal,
    );
    follower.report(found);
    instance.taskAskers.set(taskId, asker);
    try {
      return { result: encodeResult(revision, METHOD, withoutRelation(await follower.result())) };
    } finally {
      instance.taskAskers.delete(taskId);
    }
  } catch (error) {
    if (error instanceof ProtocolError && !isUnknownTask(error)) return { error: errorFor(revision, error) };
    return notResumed(error instanceof Error ? error.message : String(error));
  }
}

const FIRST_TIMEOUT_MS = 60_000;

function isUnknownTask({ code }: ProtocolError): boolean {
  return code === 'invalid_params' || code === 'method_not_found';
}

function notResumed(why: string): TaskOutcome {
  const message = `The node that ran the task stopped, and the task could not be resumed: ${why}; start it again`;
  return { error: { code: INTERNAL_ERROR, message } };
}

/** What another version wrote into the store is not one. */
function isResume(value: JsonObject): value is JsonObject & Resume {
  return (
    typeof value.server === 'string' &&
    typeof value.taskId === 'string' &&
    typeof value.createdAt === 'string' &&
    typeof value.revision === 'string' &&
    isRecord(value.sender) &&
    isRecord(value.sender.capabilities)
  );
}
