/** Which requirements are checked, derived from the checks themselves. */

import { SERVER_CHECKS } from './checks/index.js';
import { CLIENT_REQUIREMENTS } from './client/requirements.js';
import { REQUIREMENTS, type Requirement } from './requirements/index.js';

export interface CoverageEntry {
  readonly requirement: Requirement;
  readonly server: boolean;
  readonly client: boolean;
  /** In words. */
  readonly how: string;
}

export interface Coverage {
  readonly entries: readonly CoverageEntry[];
  readonly checked: number;
  readonly outside: number;
  readonly open: number;
}

export function coverage(): Coverage {
  const servers = new Set(SERVER_CHECKS.flatMap(({ requirements }) => requirements.map(({ id }) => id)));
  const entries = REQUIREMENTS.map((requirement): CoverageEntry => {
    const server = servers.has(requirement.id);
    const client = CLIENT_REQUIREMENTS.has(requirement.id);
    return { requirement, server, client, how: describe(requirement, server, client) };
  });
  const checked = entries.filter(({ server, client }) => server || client).length;
  const outside = entries.filter(
    ({ requirement, server, client }) => requirement.outside !== undefined && !server && !client,
  ).length;
  return { entries, checked, outside, open: entries.length - checked - outside };
}

function describe(requirement: Requirement, server: boolean, client: boolean): string {
  if (requirement.outside !== undefined) return `not testable: ${requirement.outside}`;
  if (server && client) return 'checked on servers and clients';
  if (server) return 'checked on servers';
  return client ? 'checked on clients' : 'not yet checked';
}
