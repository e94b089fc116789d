/** Where the page is, as the hash of its address: `#/<panel>/<server>/<what>?<query>`. */

export const PANELS = [
  'servers',
  'tools',
  'resources',
  'prompts',
  'skills',
  'tasks',
  'elicitation',
  'composer',
  'timeline',
  'logs',
  'validate',
  'auth',
] as const;
export type PanelName = (typeof PANELS)[number];

/** Names of panels in addresses that were copied from earlier versions. */
const FORMER: Readonly<Record<string, PanelName>> = {
  asks: 'elicitation',
  comply: 'validate',
  traffic: 'timeline',
};

export interface PageRoute {
  readonly panel: PanelName;
  readonly server?: string;
  /** A tool, a URI, a prompt, the id of a task, the seq of a message, a run. */
  readonly item?: string;
  readonly query: ReadonlyMap<string, string>;
}

export function parseRoute(hash: string): PageRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [panel = '', server, item] = path.split('/').map(decode);
  return {
    panel: PANELS.find((name) => name === panel) ?? FORMER[panel] ?? 'servers',
    ...(server ? { server } : {}),
    ...(item ? { item } : {}),
    query: new Map(new URLSearchParams(query)),
  };
}

export function routeHash(
  panel: PanelName,
  server?: string,
  item?: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const path = [panel, server, item].filter((part) => part !== undefined).map(encodeURIComponent);
  const search = new URLSearchParams(query).toString();
  return `#/${path.join('/')}${search === '' ? '' : `?${search}`}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // The user typed it.
    return segment;
  }
}
