/** A correct client that uses everything a server has, once. What it sends can be changed on the way. */

import { type Interaction, oauth } from '../../src/auth/index.js';
import { accept, acceptDefaults, connect, EraVerdicts } from '../../src/client/index.js';
import { validArguments } from '../../src/validate/generate/arguments.js';
import type { ClientUnderTest } from '../../src/validate/index.js';

export type Fetch = typeof fetch;

export function referenceClient(change: (send: Fetch) => Fetch = (send) => send): ClientUnderTest {
  return {
    label: 'reference client',
    run: async (url, signal) => {
      const send = change(fetch);
      const client = await connect(
        { url },
        {
          fetch: send,
          signal,
          verdicts: new EraVerdicts(),
          probeTimeout: 500,
          initTimeout: 1_500,
          timeout: 1_500,
          recover: { initialDelayMs: 10, maxRetries: 2 },
          elicit: (request) =>
            'requestedSchema' in request ? acceptDefaults(request.requestedSchema) : accept(),
          sample: () => ({
            role: 'assistant',
            content: { type: 'text', text: 'Hello.' },
            model: 'reference',
          }),
          roots: [{ uri: 'file:///tmp/reference', name: 'reference' }],
          auth: oauth({ interaction: following(send), fetch: send }),
        },
      );
      try {
        const tools = client.capabilities.tools === undefined ? [] : await client.tools.list();
        for (const { name, inputSchema } of tools.slice(0, 2)) {
          await client.tools.call(name, validArguments(inputSchema)).catch(() => undefined);
        }
        if (client.capabilities.resources !== undefined) {
          await client.resources.read('stage://text').catch(() => undefined);
        }
        if (client.capabilities.prompts !== undefined) {
          await client.prompts.get('greet', { name: 'Ada' }).catch(() => undefined);
        }
      } finally {
        await client.close();
      }
    },
  };
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
