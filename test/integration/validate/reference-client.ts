/** A correct client that uses everything a server has, once. What it sends can be changed on the way. */

import { setTimeout as delay } from 'node:timers/promises';
import { type Interaction, oauth } from '../../../src/auth/index.js';
import {
  accept,
  acceptDefaults,
  type Client,
  type ConnectOptions,
  connect,
  EraVerdicts,
} from '../../../src/client/index.js';
import type { StdioTarget } from '../../../src/transports/target.js';
import type { ClientUnderTest } from '../../../src/validate/client/validate-client.js';
import { validArguments } from '../../../src/validate/generate/arguments.js';

const NOTICE_MS = 120;

export type Fetch = typeof fetch;

export function referenceClient(change: (send: Fetch) => Fetch = (send) => send): ClientUnderTest {
  return {
    label: 'reference client',
    run: async (url, signal) => {
      const send = change(fetch);
      const auth = oauth({ interaction: following(send), fetch: send });
      await useEverything(
        await connect({ url }, { ...OPTIONS, verdicts: new EraVerdicts(), signal, fetch: send, auth }),
      );
    },
  };
}

/** The same client, where it starts the server itself. */
export function referenceStdioClient(tap?: () => NonNullable<StdioTarget['tap']>): ClientUnderTest {
  return {
    label: 'reference client',
    transport: 'stdio',
    run: async (program, signal) => {
      const target = { command: process.execPath, args: [program], tap: tap?.() };
      await useEverything(await connect(target, { ...OPTIONS, signal }));
    },
  };
}

const OPTIONS: ConnectOptions = {
  // Long enough for a busy machine: a client that gives up early shows less.
  probeTimeout: 2_000,
  initTimeout: 4_000,
  timeout: 4_000,
  recover: { initialDelay: 10, maxRetries: 2 },
  elicit: (request) => ('requestedSchema' in request ? acceptDefaults(request.requestedSchema) : accept()),
  sample: () => ({
    role: 'assistant',
    content: { type: 'text', text: 'Hello.' },
    model: 'reference',
  }),
  roots: [{ uri: 'file:///tmp/reference', name: 'reference' }],
};

async function useEverything(client: Client): Promise<void> {
  client.on('toolsChanged', () => {});
  try {
    const tools = client.capabilities.tools === undefined ? [] : await client.tools.list();
    for (const { name, inputSchema } of tools.slice(0, 2)) {
      await client.tools.call(name, validArguments(inputSchema)).catch(() => undefined);
    }
    // A server that crashed is on its way back.
    await client.whenReady({ timeout: 1_500 }).catch(() => undefined);
    if (client.capabilities.resources !== undefined) {
      for (const name of ['text', 'other', 'text']) {
        await client.resources.read(`stage://${name}`).catch(() => undefined);
      }
    }
    if (client.capabilities.prompts !== undefined) {
      await client.prompts.get('greet', { name: 'Ada' }).catch(() => undefined);
    }
    if (client.capabilities.completions !== undefined) await completeBoth(client);
    // Time for a notice that the list changed.
    await delay(NOTICE_MS);
    if (client.capabilities.tools !== undefined) await client.tools.list();
  } finally {
    await client.close();
  }
}

/** As a form with two fields does it: the second knows what the first holds. */
async function completeBoth(client: Client): Promise<void> {
  const prompt = { type: 'ref/prompt', name: 'code' } as const;
  const { completion } = await client.completion.complete(prompt, { name: 'language', value: 'py' });
  const context = { arguments: { language: completion.values[0] ?? '' } };
  await client.completion.complete(prompt, { name: 'framework', value: '' }, { context });
}

/** A person who agrees at once: follows the redirect instead of opening a browser. */
function following(send: Fetch): Interaction {
  return {
    open: () => ({
      redirectUri: 'http://127.0.0.1:1/callback',
      authorize: async ({ url }) => {
        const response = await send(url, { redirect: 'manual' });
        return new URL(response.headers.get('location') ?? '');
      },
    }),
  };
}
