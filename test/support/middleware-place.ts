/** A server with a bit of everything behind middleware, which stands on the server itself or on a chain in front of it. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, type ConnectOptions, connect } from 'plumb-mcp/client';
import type { Layer, Middleware } from 'plumb-mcp/middleware';
import { createServer, ProtocolError, type Server } from 'plumb-mcp/server';
import { createMemoryPair } from 'plumb-mcp/transports';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { Steps } from './steps.js';

export type Place = 'server' | 'chain';
export const PLACES: readonly Place[] = ['server', 'chain'];

export interface Setting {
  readonly client: Client;
  readonly server: Server;
  readonly steps: Steps;
  /** How often a handler has run. */
  runs(): number;
  /** Another client, authenticated as this principal where one is given. */
  join(principal?: string, options?: ConnectOptions): Promise<Client>;
}

export async function meet(place: Place, ...layers: (Layer | Middleware)[]): Promise<Setting> {
  const steps = new Steps();
  let runs = 0;
  const server = createServer({ name: 's', version: '1', onError: () => undefined });
  server.tool(
    'echo',
    { input: z.object({ text: z.string(), tail: z.string().optional() }) },
    ({ text, tail }) => {
      runs += 1;
      return `${text}${tail ?? ''}`;
    },
  );
  server.tool('hang', {}, async (_, ctx) => {
    steps.reach('hanging');
    await steps.opened('go', ctx.signal).catch(() => steps.reach('aborted'));
    return 'done';
  });
  server.tool('ask', {}, async (_, ctx) => {
    const answer = await ctx.elicit('Who?', { type: 'object', properties: { name: { type: 'string' } } });
    return JSON.stringify(answer);
  });
  const broken = (): never => {
    runs += 1;
    throw new ProtocolError('internal_error', 'broken');
  };
  server.tool('read_broken', { annotations: { readOnlyHint: true } }, broken);
  server.tool('write_broken', {}, broken);
  server.resource('a://b', { name: 'b', cache: { ttl: 1000, scope: 'private' } }, () => {
    runs += 1;
    return `read ${runs}`;
  });
  server.prompt('greet', {}, () => 'greeted');
  onTestFinished(() => server.close({ drain: 0 }));
  const front =
    place === 'server'
      ? server.use(...layers)
      : createChain({ onError: () => undefined })
          .use(...layers)
          .to(server);
  onTestFinished(() => front.close({ drain: 0 }));
  const join = async (principal?: string, options: ConnectOptions = {}): Promise<Client> => {
    const pair = createMemoryPair();
    const [near, far] = pair;
    front.connect(far, principal === undefined ? undefined : { principal }).catch(() => undefined);
    const client = await connect(near, { cache: false, ...options });
    onTestFinished(() => client.close());
    return client;
  };
  return { client: await join(), server, steps, runs: () => runs, join };
}

export function echo(client: Client, text = 'hi') {
  return client.tools.call('echo', { text });
}
