export interface Folder<T> {
  readonly folder: string;
  readonly items: readonly T[];
}

/** Groups by everything before the last segment of the address. */
export function folders<T extends { readonly uri: string }>(resources: readonly T[]): Folder<T>[] {
  const found = new Map<string, T[]>();
  for (const resource of resources) {
    const folder = folderOf(resource.uri);
    const items = found.get(folder);
    if (items === undefined) found.set(folder, [resource]);
    else items.push(resource);
  }
  return [...found]
    .map(([folder, items]) => ({ folder, items }))
    .sort((a, b) => a.folder.localeCompare(b.folder));
}

function folderOf(uri: string): string {
  const [, scheme = '', rest = uri] = /^([a-z][a-z0-9+.-]*:\/{0,2})(.*)$/is.exec(uri) ?? [];
  const slash = rest.replace(/\/$/, '').lastIndexOf('/');
  return slash < 0 ? scheme || '/' : `${scheme}${rest.slice(0, slash + 1)}`;
}
