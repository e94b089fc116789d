/** Text as a program wrote it for a terminal, without what only a terminal understands. */

const ESCAPE = '\u001b';
/** OSC and the other strings of escape sequences, CSI sequences, and two-character escapes (ECMA-48). */
const SEQUENCES = new RegExp(
  [
    `${ESCAPE}[\\]PX^_][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)?`,
    `(?:${ESCAPE}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `${ESCAPE}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);
/** Control characters but tab and line feed, and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the point
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Takes out escape sequences and control characters. Of a line that was written over itself, such as a progress bar,
 * what was written last stays.
 */
export function plainText(text: string): string {
  const lines = text
    .replace(SEQUENCES, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => overwritten(backspaced(line)).replace(CONTROLS, ''));
  return lines.join('\n');
}

function overwritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((part) => part.trim() !== '') ?? '';
}

/** Manual pages print a character over itself to make it bold, and over a line to underline it. */
function backspaced(line: string): string {
  if (!line.includes('\b')) return line;
  const kept: string[] = [];
  for (const character of line) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
