/** `Name: value` or `NAME=value`, one a line; lines without the sign are left out. */
export function parseLines(text: string, sign: ':' | '='): Record<string, string> {
  const entries = text.split('\n').flatMap((line) => {
    const at = line.indexOf(sign);
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
  return Object.fromEntries(entries);
}
