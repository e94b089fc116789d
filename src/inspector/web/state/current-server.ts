/** The server that the panels are about: of the address, or the one that was looked at last, or the first. */

import type { ServerView } from '../../api.js';
import { useInspector } from './inspector.js';
import { useRoute } from './route.js';

let remembered: string | undefined;

export function useCurrentServer(): ServerView | undefined {
  const { server } = useRoute();
  const servers = useInspector((state) => state.servers);
  if (server !== undefined && servers.some(({ id }) => id === server)) remembered = server;
  return (
    servers.find(({ id }) => id === remembered) ??
    servers.find(({ state }) => state === 'ready') ??
    servers[0]
  );
}
