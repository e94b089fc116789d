/** Makes HTML of what a program writes to a terminal: text, and the colours of it. */

/** Codes of "select graphic rendition" that our command uses, by the class that shows them. @type {Record<string, string>} */
const CLASSES = {
  1: 'bold',
  2: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
  90: 'dim',
};
const ESCAPE = String.fromCharCode(27);

/** @param {string} text */
export function ansiToHtml(text) {
  const [first = '', ...rest] = text.replaceAll('\r', '').split(`${ESCAPE}[`);
  /** @type {Set<string>} */
  const active = new Set();
  const pieces = rest.map((piece) => {
    const [, codes = '', kind = '', written = ''] = /^([\d;?]*)([A-Za-z])([\s\S]*)$/.exec(piece) ?? [];
    if (kind === 'm') for (const code of codes === '' ? ['0'] : codes.split(';')) apply(active, code);
    return active.size === 0
      ? escaped(written)
      : `<span class="${[...active].join(' ')}">${escaped(written)}</span>`;
  });
  return escaped(first) + pieces.join('');
}

/**
 * @param {Set<string>} active
 * @param {string} code
 */
function apply(active, code) {
  const name = CLASSES[code];
  if (code === '0') active.clear();
  else if (code === '22') for (const weight of ['bold', 'dim']) active.delete(weight);
  else if (code === '39')
    for (const colour of Object.values(CLASSES)) if (colour !== 'bold') active.delete(colour);
  if (name !== undefined) active.add(name);
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
