/** Query builders and other libraries hand out promises of their own making, which `instanceof Promise` misses. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
