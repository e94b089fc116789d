const ALLOWED = ['http:', 'https:', 'mailto:'];

/** The address if a link may lead there: never a script, a file, or another program's scheme. */
export function linkTarget(address: string): string | undefined {
  let url: URL;
  try {
    // Without a base: a relative address would lead back into the inspector.
    url = new URL(address);
  } catch {
    return undefined;
  }
  return ALLOWED.includes(url.protocol) ? url.href : undefined;
}
