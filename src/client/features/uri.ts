/** Whether a URI is the given one or lies below it: an update may name a part of what was subscribed to. */
export function isWithin(uri: string, base: string): boolean {
  if (!uri.startsWith(base)) return false;
  return uri.length === base.length || base.endsWith('/') || '/?#'.includes(uri.charAt(base.length));
}
