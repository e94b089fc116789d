/**
 * Text of peers on its way to people: terminals, logs, JSON, Markdown, HTML and XML. It is shown and never obeyed: it
 * could otherwise move the cursor, rename the window, reverse what is shown, or add lines, links and markup.
 */

/** C0 but tab and line feed, DEL, C1, marks of direction, and line breaks that only some readers know. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** For terminals. Line breaks and tabs stay. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}

/** The same, on one line. */
export function singleLine(text: string): string {
  return printable(text.trim().replaceAll(/\s+/g, ' '));
}

/** JSON that says the same and holds no character that a terminal would obey: they are all escaped. */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'undefined';
  // JSON has line feeds between its parts alone, and no other control of the first kind anywhere.
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const PLAIN_WORD = /^[\w/.$@|:+-]{1,200}$/;
const MAX_WORD = 200;

/** For lines of logs: a plain word as it is, everything else in quotes. */
export function logWord(text: string): string {
  if (PLAIN_WORD.test(text)) return text;
  return safeJson(text.length > MAX_WORD ? `${text.slice(0, MAX_WORD)}...` : text);
}

/** What an error says, for a log: every line but the first is indented, so that none of them looks like another entry. */
export function logError(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth += 1) {
    parts.push(current instanceof Error ? (current.stack ?? String(current)) : describe(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return printable(parts.join('\ncaused by: ')).replaceAll('\n', '\n    ');
}

const MAX_CAUSES = 5;

function describe(value: unknown): string {
  return typeof value === 'object' && value !== null ? safeJson(value) : String(value);
}

/** For Markdown, on one line, where nothing in it is markup, a link or a mention. */
export function markdownText(text: string): string {
  return singleLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]()#+!|~-]/g, '\\$&')
    .replaceAll(/@|:(?=\/\/)|(?<=\bwww)\./gi, '$&\u200b');
}

/** For HTML and XML, in text and in attributes with double quotes. */
export function escapeXml(text: string): string {
  return (
    printable(text)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
      // Characters that XML cannot carry at all, escaped or not.
      .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?')
  );
}
