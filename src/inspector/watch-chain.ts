/** Watches a chain of this process: what its clients say on one side, and what it says to its servers on the other. */

import type { Destination, Destinations } from '../chain/index.js';
import { destinationsOf } from '../chain/targets.js';
import type { Target } from '../client/index.js';
import type { HttpEndpoint } from '../transports/http/exchange.js';
import type { TransportName } from './api.js';
import type { InspectorCore } from './core.js';
import { ClientSide } from './recorder/recording-endpoint.js';
import { recorded } from './recorder/recording-transport.js';

export interface WatchedChain {
  /** The same servers, recorded. */
  readonly destinations: Destinations;
  /** For the `tap` of the options that the chain is served with. */
  readonly tap: (endpoint: HttpEndpoint) => HttpEndpoint;
}

export function watchChain(
  core: InspectorCore,
  name: string,
  given: Destination | Destinations,
  url?: string,
): WatchedChain {
  const id = `chain-${core.snapshot().chains.length + 1}`;
  const named = destinationsOf(given);
  core.watches({
    id,
    name,
    upstreams: named.map((destination) => destination.name),
    ...(url === undefined ? {} : { url }),
  });
  const entries = named.map(({ name: upstream, target, options }): [string, Destination] => {
    let connections = 0;
    const server = recorded({
      target,
      recording: core.recording,
      origin: () => {
        connections += 1;
        return {
          server: id,
          source: 'chain',
          hop: 'upstream',
          upstream,
          connection: connections,
          transport: transportOf(target),
        };
      },
    });
    return [upstream, { ...options, server }];
  });
  return { destinations: Object.fromEntries(entries), tap: new ClientSide(core.recording, id).tap };
}

function transportOf(target: Target): TransportName {
  if (typeof target === 'string' || target instanceof URL || 'url' in target) return 'http';
  return 'command' in target ? 'stdio' : 'memory';
}
