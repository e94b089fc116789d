/**
 * Configuration files of clients on this machine. The caller that starts the inspector passes their paths.
 */

import type { FoundConfig } from '../api.js';
import { notFound } from '../failure.js';
import type { InspectedTarget } from './target.js';

export interface ClientConfigs {
  list(): readonly FoundConfig[];
  /** The server of one entry, with its variables filled in; throws what is wrong with it. */
  resolve(path: string, server: string): { readonly target: InspectedTarget; readonly client: string };
}

export const NO_CONFIGS: ClientConfigs = {
  list: () => [],
  resolve: () => {
    throw notFound('configuration file');
  },
};
