/** A small correct server with tasks, of the core protocol and of the extension. Each fault breaks one rule. */

import { isRecord, type JsonObject } from '../../../src/jsonrpc/message.js';
import type { OpenPipe } from '../../../src/validate/wire/line-pipe.js';

export interface TaskFaults {
  /** Changes what is sent, by method: a result, or an error. */
  readonly change?: (method: string, answer: JsonObject, params: JsonObject) => JsonObject;
  /** Taken as the request in place of what came. */
  readonly hear?: (method: string, params: JsonObject) => JsonObject;
  readonly taskId?: () => string;
  /** Sent beside an answer. */
  readonly beside?: (method: string) => JsonObject | undefined;
}

const CORE = '2025-11-25';
const MODERN = '2026-07-28';
const EXTENSION = 'io.modelcontextprotocol/tasks';
const RELATED = 'io.modelcontextprotocol/related-task';
const TIMES = { createdAt: '2026-01-01T00:00:00.000Z', lastUpdatedAt: '2026-01-01T00:00:00.000Z' };
const INFO = { name: 'tasks', version: '1.0.0' };
const CONTENT = { content: [{ type: 'text', text: 'done' }] };
const schema = { inputSchema: { type: 'object' } };
const QUESTION = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};

interface Task {
  readonly id: string;
  readonly fails: boolean;
  status: string;
  looks: number;
  readonly answered: Set<string>;
}

const failure = (code: number, data?: JsonObject): JsonObject => ({
  error: { code, message: 'Refused', ...(data === undefined ? {} : { data }) },
});

export function taskServer(faults: TaskFaults = {}): OpenPipe {
  return async (events) => {
    const tasks = new Map<string, Task>();
    let open = true;
    let asked = 0;
    const say = (message: JsonObject): void => {
      if (open) events.line(JSON.stringify({ jsonrpc: '2.0', ...message }));
    };
    const answer = (method: string, given: JsonObject): JsonObject => {
      const params = faults.hear?.(method, given) ?? given;
      const meta = isRecord(params._meta) ? params._meta : {};
      const modern = 'io.modelcontextprotocol/protocolVersion' in meta;
      const plain = modern ? answerModern(method, params, meta) : answerCore(method, params);
      return faults.change?.(method, plain, given) ?? plain;
    };
    const create = (fails: boolean): Task => {
      const id = faults.taskId?.() ?? crypto.randomUUID();
      const task = { id, fails, status: 'working', looks: 0, answered: new Set<string>() };
      tasks.set(id, task);
      return task;
    };
    const core = ({ id, status }: Task): JsonObject => ({
      taskId: id,
      status,
      ...TIMES,
      ttl: 60_000,
      pollInterval: 50,
    });
    const answerCore = (method: string, params: JsonObject): JsonObject => {
      const task = tasks.get(String(params.taskId));
      switch (method) {
        case 'initialize': {
          const tasksCapability = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
          const capabilities = { tools: {}, tasks: tasksCapability };
          return { result: { protocolVersion: CORE, capabilities, serverInfo: INFO } };
        }
        case 'ping':
          return { result: {} };
        case 'tools/list':
          return {
            result: {
              tools: [tool('slow', 'required'), tool('plain', 'forbidden'), tool('bad', 'optional')],
            },
          };
        case 'tools/call':
          return callCore(params);
        case 'tasks/get':
          return task === undefined ? failure(-32602) : { result: core(task) };
        case 'tasks/result': {
          if (task === undefined) return failure(-32602);
          asked += 1;
          const question = { ...QUESTION.params, _meta: { [RELATED]: { taskId: task.id } } };
          const ask = { id: `q${asked}`, method: 'elicitation/create', params: question };
          say(faults.change?.('elicitation/create', ask, params) ?? ask);
          task.status = task.fails ? 'failed' : 'completed';
          const _meta = { [RELATED]: { taskId: task.id } };
          return { result: { ...CONTENT, ...(task.fails ? { isError: true } : {}), _meta } };
        }
        case 'tasks/cancel':
          if (task === undefined || task.status !== 'working') return failure(-32602);
          task.status = 'cancelled';
          return { result: core(task) };
        default:
          return failure(-32601);
      }
    };
    const callCore = (params: JsonObject): JsonObject => {
      const wanted = isRecord(params.task);
      if (params.name === 'slow' && !wanted) return failure(-32601);
      if (params.name === 'plain' && wanted) return failure(-32601);
      if (!['slow', 'plain', 'bad'].includes(String(params.name))) return failure(-32602);
      return wanted ? { result: { task: core(create(params.name === 'bad')) } } : { result: CONTENT };
    };
    const answerModern = (method: string, params: JsonObject, meta: JsonObject): JsonObject => {
      const capabilities = meta['io.modelcontextprotocol/clientCapabilities'];
      const extensions =
        isRecord(capabilities) && isRecord(capabilities.extensions) ? capabilities.extensions : {};
      const complete = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': INFO } };
      const cached = { ...complete, ttlMs: 0, cacheScope: 'private' };
      const required = failure(-32021, { requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
      const task = tasks.get(String(params.taskId));
      if (method.startsWith('tasks/') && !(EXTENSION in extensions)) return required;
      switch (method) {
        case 'server/discover': {
          const offered = { tools: {}, extensions: { [EXTENSION]: {} } };
          return { result: { ...cached, supportedVersions: [MODERN], capabilities: offered } };
        }
        case 'tools/list':
          return { result: { ...cached, tools: [{ name: 'slow', ...schema }] } };
        case 'tools/call': {
          if (params.name !== 'slow') return failure(-32602);
          if (!(EXTENSION in extensions)) return required;
          const { id, status } = create(true);
          return {
            result: { resultType: 'task', taskId: id, status, ...TIMES, ttlMs: 60_000, pollIntervalMs: 20 },
          };
        }
        case 'subscriptions/listen': {
          const wanted = isRecord(params.notifications) ? params.notifications : {};
          return 'taskIds' in wanted && !(EXTENSION in extensions) ? required : failure(-32601);
        }
        case 'tasks/get':
          return task === undefined ? failure(-32602) : { result: { ...complete, ...look(task) } };
        case 'tasks/update':
          if (task !== undefined && isRecord(params.inputResponses))
            for (const key of Object.keys(params.inputResponses)) task.answered.add(key);
          return { result: complete };
        case 'tasks/cancel':
          return { result: complete };
        default:
          return failure(-32601);
      }
    };
    /** Two questions, one after the other, then the result. */
    const look = (task: Task): JsonObject => {
      const detail = { taskId: task.id, ...TIMES, ttlMs: 60_000, pollIntervalMs: 20 };
      const key = ['first', 'second'].find((candidate) => !task.answered.has(candidate));
      if (key !== undefined) {
        const request = { ...QUESTION, params: { ...QUESTION.params, message: `The ${key} name?` } };
        return { ...detail, status: 'input_required', inputRequests: { [key]: request } };
      }
      const result = { ...CONTENT, isError: true, resultType: 'complete' };
      return { ...detail, status: 'completed', result };
    };
    const decoder = new TextDecoder();
    let pending = '';
    return {
      write: async (data) => {
        pending += typeof data === 'string' ? data : decoder.decode(data, { stream: true });
        const lines = pending.split('\n');
        pending = lines.pop() ?? '';
        for (const line of lines) {
          let message: unknown;
          try {
            message = JSON.parse(line);
          } catch {
            say({ id: null, ...failure(-32700) });
            continue;
          }
          if (!isRecord(message) || typeof message.method !== 'string' || message.id === undefined) continue;
          const { method, id } = message;
          const extra = faults.beside?.(method);
          if (extra !== undefined) say(extra);
          say({ id, ...answer(method, isRecord(message.params) ? message.params : {}) });
        }
      },
      endInput: () => {
        open = false;
        events.ended('the server exited with code 0');
      },
      close: async () => {
        open = false;
      },
    };
  };
}

function tool(name: string, taskSupport: string): JsonObject {
  return { name, ...schema, execution: { taskSupport } };
}
