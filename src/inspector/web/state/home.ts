/** Where a page opens that was given no place: on what there is to try, not on a record of connections. */

import type { InspectorState } from './inspector-state.js';
import { routeHash } from './route-path.js';

export function homeHash({ servers, chains }: Pick<InspectorState, 'servers' | 'chains'>): string {
  const [first, ...others] = servers;
  if (first === undefined) return routeHash(chains.length > 0 ? 'timeline' : 'servers');
  if (others.length > 0) return routeHash('servers');
  const offered = first.session?.capabilities;
  const { tools, resources, prompts } = offered ?? {};
  if (offered === undefined || tools !== undefined) return routeHash('tools', first.id);
  if (resources !== undefined) return routeHash('resources', first.id);
  return routeHash(prompts === undefined ? 'servers' : 'prompts', first.id);
}
