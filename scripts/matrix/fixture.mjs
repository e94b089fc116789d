/**
 * What the servers of the official SDKs have here, under the names that the demo server has for the same things, so that
 * one list of features is tried on all of them.
 */
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What a tool may do while it runs.
 *
 * @typedef {object} Running
 * @property {AbortSignal} signal
 * @property {(progress: number, total: number) => Promise<unknown>} progress
 * @property {(data: string) => Promise<unknown>} log
 * @property {(method: string, params: object) => Promise<any>} ask  throws where the answer comes with another request
 * @property {() => unknown} toolsChanged
 * @property {(uri: string) => unknown} resourceUpdated
 */

/**
 * @typedef {object} Tool
 * @property {Record<string, { type: string }>} properties  of the arguments
 * @property {(args: any, running: Running) => Promise<string>} run
 */

export const NOTE = 'demo://note';
export const PAGE_SIZE = 5;

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };

let note = 'Nothing noted yet.';
let cancelled = 0;

/** @type {Readonly<Record<string, Tool>>} */
const TOOLS = {
  add: {
    properties: { a: NUMBER, b: NUMBER },
    run: async ({ a, b }) => String(a + b),
  },
  count: {
    properties: { to: NUMBER, delayMs: NUMBER },
    run: async ({ to, delayMs }, { progress, signal }) => {
      for (let step = 1; step <= to && !signal.aborted; step += 1) {
        await delay(delayMs, undefined, { signal }).catch(() => {});
        if (!signal.aborted) await progress(step, to);
      }
      return 'Counted.';
    },
  },
  test_tool_with_logging: {
    properties: {},
    run: async (_args, { log }) => {
      await log('A message');
      return 'A message was logged.';
    },
  },
  wait: {
    properties: { seconds: NUMBER },
    run: async ({ seconds }, { signal }) => {
      await delay(seconds * 1_000, undefined, { signal }).catch(() => {
        cancelled += 1;
      });
      return 'Waited.';
    },
  },
  cancelled: { properties: {}, run: async () => `${cancelled} cancelled` },
  write_note: {
    properties: { text: TEXT },
    run: async ({ text }, { resourceUpdated }) => {
      note = text;
      await resourceUpdated(NOTE);
      return 'Noted.';
    },
  },
  test_trigger_tool_change: {
    properties: {},
    run: async (_args, { toolsChanged }) => {
      await toolsChanged();
      return 'Announced.';
    },
  },
  test_elicitation: {
    properties: { message: TEXT },
    run: async ({ message }, { ask }) => {
      const requestedSchema = { type: 'object', properties: { username: TEXT }, required: ['username'] };
      return JSON.stringify(await ask('elicitation/create', { message, requestedSchema }));
    },
  },
  test_sampling: {
    properties: { prompt: TEXT },
    run: async ({ prompt }, { ask }) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      return JSON.stringify(await ask('sampling/createMessage', { messages, maxTokens: 100 }));
    },
  },
  ask_roots: {
    properties: {},
    run: async (_args, { ask }) => JSON.stringify(await ask('roots/list', {})),
  },
};

export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** @param {string | undefined} cursor */
export function listTools(cursor) {
  const start = Number(cursor ?? 0);
  const tools = Object.entries(TOOLS).map(([name, { properties }]) => ({
    name,
    inputSchema: /** @type {const} */ ({ type: 'object', properties }),
  }));
  const end = start + PAGE_SIZE;
  return {
    tools: tools.slice(start, end),
    ...(end < tools.length ? { nextCursor: String(end) } : {}),
  };
}

/**
 * @param {string} name
 * @param {object | undefined} args
 * @param {Running} running
 * @returns {Promise<{ content: { type: 'text', text: string }[] } | undefined>} undefined for a tool that is not there
 */
export async function callTool(name, args, running) {
  const tool = TOOLS[name];
  if (tool === undefined) return undefined;
  return { content: [{ type: 'text', text: await tool.run(args ?? {}, running) }] };
}

export function listResources() {
  return { resources: [{ uri: NOTE, name: 'note' }] };
}

/** @param {string} uri */
export function readResource(uri) {
  return uri === NOTE ? { contents: [{ uri, text: note }] } : undefined;
}

export function listPrompts() {
  const args = [{ name: 'code', required: true }, { name: 'language' }];
  return { prompts: [{ name: 'review', arguments: args }] };
}

/** @param {string} name @param {Record<string, string> | undefined} args */
export function getPrompt(name, args) {
  if (name !== 'review') return undefined;
  const content = /** @type {const} */ ({ type: 'text', text: `Review: ${args?.code}` });
  return { messages: [{ role: /** @type {const} */ ('user'), content }] };
}

/** @param {{ value: string }} argument */
export function complete({ value }) {
  const values = ['python', 'typescript', 'rust'].filter((language) => language.startsWith(value));
  return { completion: { values } };
}
