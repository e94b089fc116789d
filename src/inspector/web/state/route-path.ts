/** Where the page is, as the hash of its address: `#/<panel>/<server>/<what>?<query>`. */

export const PANELS = [
  'servers',
  'tools',
  'resources',
  'prompts',
  'asks',
  'logs',
  'timeline',
  'auth',
  'comply',
] as const;
export type PanelName = (typeof PANELS)[number];

export interface Route {
  readonly panel: PanelName;
  readonly server?: string;
  /** A tool, a URI, a prompt, the seq of a message, a run. */
  readonly item?: string;
  readonly query: ReadonlyMap<string, string>;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [panel, server, item] = path.split('/').map(decode);
  return {
    panel: PANELS.find((name) => name === panel) ?? 'servers',
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
