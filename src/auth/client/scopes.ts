/** Which scopes to ask for. */

export function parseScopes(text: string | undefined): readonly string[] | undefined {
  const scopes = text?.split(' ').filter((scope) => scope !== '');
  return scopes === undefined || scopes.length === 0 ? undefined : scopes;
}

export function unite(...lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

export function includesAll(scopes: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((scope) => scopes.includes(scope));
}

const OFFLINE_ACCESS = 'offline_access';

export interface ScopeSources {
  /** Of the server's challenge: authoritative for what was tried. */
  readonly challenged: readonly string[] | undefined;
  /** Of the resource's metadata: what using the server usually takes. */
  readonly supported: readonly string[] | undefined;
  /** Asked for before; more must not cost what was there already. */
  readonly previous: readonly string[] | undefined;
  /** The user's own choice instead of the server's suggestion. */
  readonly chosen: readonly string[] | undefined;
  /** What the authorization server says it knows. */
  readonly known: readonly string[] | undefined;
  readonly offlineAccess: boolean;
}

/** Undefined leaves the parameter out, and the choice to the authorization server. */
export function selectScopes(sources: ScopeSources): readonly string[] | undefined {
  const { challenged, supported, previous, chosen, known, offlineAccess } = sources;
  const base = unite(previous, challenged ?? chosen ?? supported, chosen);
  if (base.length === 0) return undefined;
  // Only where it is advertised: others may refuse the whole request over a scope they do not know.
  return offlineAccess && known?.includes(OFFLINE_ACCESS) === true ? unite(base, [OFFLINE_ACCESS]) : base;
}

export function asksForOfflineAccess(scopes: readonly string[] | undefined): boolean {
  return scopes?.includes(OFFLINE_ACCESS) === true;
}
