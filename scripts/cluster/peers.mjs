/**
 * The three kinds of clients behind one small face: the official SDK v1, and ours in both eras. None of them knows
 * that there are several nodes.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe } from './tally.mjs';

/** @type {typeof import('plumb-mcp/client')} */
const { connect, accept } = await import(new URL('../../dist/client/index.js', import.meta.url).href);

export const NOTE = 'demo://note';
const TIMEOUT_MS = 20_000;

/** @typedef {'official' | 'handshake' | 'stateless'} Kind */

/**
 * @typedef {object} Peer
 * @property {boolean} resumes  whether a stream that was cut goes on where it was
 * @property {(name: string, args: Record<string, unknown>, onProgress?: (step: number) => void) => Promise<string>} call
 * @property {(updated: () => void) => Promise<void>} subscribe
 * @property {() => Promise<string>} read  the note
 * @property {() => number} renewals  how often it connected anew, after which it says "look again" by itself
 * @property {string[]} troubles  what its transport complained about
 * @property {() => Promise<void>} close
 */

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {string} url
 * @param {() => Record<string, string | number>} answer  to every form
 * @returns {Promise<Peer>}
 */
export function openPeer(kind, name, url, answer) {
  return kind === 'official' ? openOfficial(name, url, answer) : openOurs(kind, name, url, answer);
}

/**
 * @param {string} name
 * @param {string} url
 * @param {() => Record<string, string | number>} answer
 * @returns {Promise<Peer>}
 */
async function openOfficial(name, url, answer) {
  const client = new Client({ name, version: '1' }, { capabilities: { elicitation: {} } });
  /** @type {() => void} */
  let updated = () => undefined;
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: 'accept',
    content: answer(),
  }));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => updated());
  /** @type {string[]} */
  const troubles = [];
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: persistentGet,
    reconnectionOptions: {
      initialReconnectionDelay: 100,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 100,
    },
  });
  client.onerror = (error) => troubles.push(describe(error));
  await client.connect(
    /** @type {import('@modelcontextprotocol/sdk/shared/transport.js').Transport} */ (transport),
    { timeout: TIMEOUT_MS },
  );
  const options = { timeout: TIMEOUT_MS, resetTimeoutOnProgress: true, maxTotalTimeout: 3 * TIMEOUT_MS };
  return {
    resumes: true,
    renewals: () => 0,
    troubles,
    call: async (name, args, onProgress) => {
      const progress = onProgress && {
        onprogress: (/** @type {{ progress: number }} */ p) => onProgress(p.progress),
      };
      return textOf(await client.callTool({ name, arguments: args }, undefined, { ...options, ...progress }));
    },
    subscribe: async (listener) => {
      updated = listener;
      await client.subscribeResource({ uri: NOTE }, options);
    },
    read: async () =>
      String(Reflect.get((await client.readResource({ uri: NOTE }, options)).contents[0] ?? {}, 'text')),
    close: async () => {
      await transport.terminateSession().catch(() => undefined);
      await client.close();
    },
  };
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {string} url
 * @param {() => Record<string, string | number>} answer
 * @returns {Promise<Peer>}
 */
async function openOurs(kind, name, url, answer) {
  /** @type {string[]} */
  const troubles = [];
  const client = await connect(url, {
    name,
    // The driver makes calls again itself, so that it can count them.
    timeout: TIMEOUT_MS,
    initTimeout: TIMEOUT_MS,
    revisions: [kind === 'handshake' ? '2025-11-25' : '2026-07-28'],
    elicit: () => accept(answer()),
    whenNotReady: 'wait',
    onFault: (fault) => troubles.push(JSON.stringify(fault)),
  });
  let renewals = 0;
  client.on('state', ({ state }) => {
    if (state === 'ready') renewals += 1;
  });
  return {
    resumes: kind === 'handshake',
    renewals: () => renewals,
    troubles,
    call: async (name, args, onProgress) => {
      const progress = onProgress && {
        onProgress: (/** @type {{ progress: number }} */ p) => onProgress(p.progress),
      };
      return textOf(await client.tools.call(name, args, { retry: false, ...progress }));
    },
    subscribe: async (listener) => {
      await client.resources.subscribe(NOTE, listener);
    },
    read: async () => {
      const { contents } = await client.resources.read(NOTE, { cache: 'no-store' });
      return String(Reflect.get(contents[0] ?? {}, 'text'));
    },
    close: () => client.close(),
  };
}

/**
 * The official transport opens its GET stream once, and goes without it where that fails.
 *
 * @type {import('@modelcontextprotocol/sdk/shared/transport.js').FetchLike}
 */
async function persistentGet(url, init) {
  for (let left = init?.method === 'GET' ? 50 : 0; ; left -= 1) {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (left === 0 || init?.signal?.aborted) throw error;
      await delay(200);
    }
  }
}

/** @param {unknown} result */
function textOf(result) {
  const { content, isError } = /** @type {{ content: { text?: string }[], isError?: boolean }} */ (result);
  const text = content.map((part) => part.text ?? '').join('');
  if (isError) throw new Error(`The tool failed: ${text}`);
  return text;
}
