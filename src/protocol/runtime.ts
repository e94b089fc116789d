/** Which runtime this is, where it matters. */

/** Node, and what has its modules: Bun and Deno. Workers call themselves Node too, and have a few of them. */
export function hasNodeModules(): boolean {
  return versions()?.node !== undefined && !isWorker();
}

/** Cloudflare Workers (workerd), where timers and streams belong to the request that made them. */
export function isWorker(): boolean {
  return 'WebSocketPair' in globalThis;
}

/** Node itself: elsewhere the runtime's own `fetch` serves better than its version of Node's client. */
export function isNode(): boolean {
  return hasNodeModules() && versions()?.bun === undefined && versions()?.deno === undefined;
}

function versions(): Readonly<Record<string, string | undefined>> | undefined {
  // By name: the types of Node are not there wherever this is compiled.
  const process: { readonly versions?: Readonly<Record<string, string | undefined>> } | undefined =
    Reflect.get(globalThis, 'process');
  return process?.versions;
}
