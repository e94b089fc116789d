/**
 * Finds what is nothing but credentials in texts that come from servers. Each search looks at a character a fixed number
 * of times: a text can be made so that a simple pattern would look at it again from each of its beginnings.
 */

/** Each run of characters is tried from one place, or given up after as many as the pattern asks for. */
const KEYS: readonly RegExp[] = [
  /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}/g,
  /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{30,}/g,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{30,}/g,
  /(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])xox[abprs]-[A-Za-z0-9-]{10,}/g,
];

export function withoutCredentials(text: string, replacement: string): string {
  const replaced = (): string => replacement;
  const keys = KEYS.reduce((cleaned, pattern) => cleaned.replace(pattern, replaced), text);
  return withoutPrivateKeys(withoutTokens(keys, replacement), replacement);
}

/** JSON Web Tokens: three parts, and the first one begins with `{"` in base64. */
function withoutTokens(text: string, replacement: string): string {
  if (!text.includes('eyJ')) return text;
  return text.replace(/[A-Za-z0-9_.-]+/g, (run) => {
    if (!run.includes('eyJ')) return run;
    const parts = run.split('.');
    const kept: string[] = [];
    for (let index = 0; index < parts.length; index += 1) {
      const [first = '', second = '', third = ''] = parts.slice(index, index + 3);
      const start = first.indexOf('eyJ');
      const isToken = start >= 0 && first.length - start >= 13 && second.length >= 10 && third.length >= 5;
      if (isToken) index += 2;
      kept.push(isToken ? `${first.slice(0, start)}${replacement}` : first);
    }
    return kept.join('.');
  });
}

const BEGIN = '-----BEGIN ';
const END = '-----END ';
const PRIVATE = /^[A-Z ]{0,40}PRIVATE KEY-----/;

/** PEM blocks. The next end is looked for once, and serves all beginnings before it. */
function withoutPrivateKeys(text: string, replacement: string): string {
  let cleaned = '';
  let from = 0;
  let end = 0;
  for (let begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, begin + 1)) {
    if (begin < from || !isPrivate(text, begin + BEGIN.length)) continue;
    while (end >= 0 && (end <= begin || !isPrivate(text, end + END.length))) end = text.indexOf(END, end + 1);
    if (end < 0) break;
    const close = text.indexOf('-----', end + END.length) + '-----'.length;
    cleaned += `${text.slice(from, begin)}${replacement}`;
    from = close;
  }
  return from === 0 ? text : cleaned + text.slice(from);
}

function isPrivate(text: string, at: number): boolean {
  return PRIVATE.test(text.slice(at, at + 60));
}
