/** Text for terminals: its width, and wrapping. */

const COMBINING = /\p{Mark}|\u200d|\ufe0f/u;
/** Characters that take two columns: East Asian scripts and emoji, roughly. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (COMBINING.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Breaks at spaces; a word longer than the line stands on a line of its own, whole, so that it can be copied. */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width));
}

function wrapParagraph(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  // Added up, and not measured again for each word: words may have no width at all.
  let taken = 0;
  for (const word of paragraph.split(' ')) {
    const more = displayWidth(word);
    if (line === '') {
      line = word;
      taken = more;
    } else if (taken + 1 + more > width) {
      lines.push(line);
      line = word;
      taken = more;
    } else {
      line = `${line} ${word}`;
      taken += 1 + more;
    }
  }
  lines.push(line);
  return lines;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function indent(lines: readonly string[], by = '  '): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}
