/** One spelling for each name: rules judge it rather than what the caller wrote. */

/** Normalisation costs the square of the marks in a row; no name that anybody gave is as long as this. */
const MAX_NAME = 1024;

/** The name without what surrounds it, composed (Unicode NFC). */
export function canonicalName(name: string): string {
  const bare = trimmed(name);
  return bare.length > MAX_NAME ? bare : bare.normalize('NFC');
}

/** C0 controls and white space around it, which parsers drop. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return (
    code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code === 0xfeff || (code >= 0x2000 && code <= 0x200f)
  );
}
