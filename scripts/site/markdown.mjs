/** Reads Markdown as far as the site and the checks need it: links, headings, blocks of code. */

/** @typedef {{ language: string, info: string, code: string, line: number, before: string }} CodeBlock */

const FENCE = /^( *)(```+)([^\n`]*)\n([\s\S]*?)^\1\2 *$/gm;

/**
 * The blocks of code of a page. `before` is the text between the block and the one before it.
 *
 * @param {string} text
 * @returns {CodeBlock[]}
 */
export function codeBlocks(text) {
  let end = 0;
  return [...text.matchAll(FENCE)].map(({ 0: whole, 3: info = '', 4: code = '', index }) => {
    const before = text.slice(end, index);
    end = index + whole.length;
    const line = text.slice(0, index).split('\n').length + 1;
    return { language: info.trim().split(/[\s{[]/)[0] ?? '', info: info.trim(), code, line, before };
  });
}

/**
 * Applies a change to what is not code.
 *
 * @param {string} text
 * @param {(prose: string) => string} change
 */
function inProse(text, change) {
  let end = 0;
  let changed = '';
  // A row of backticks ends a piece of code that the same row began.
  for (const { 0: code, index } of text.matchAll(
    /^( *)(```+)[\s\S]*?^\1\2 *$|(`+)(?!`)[^\n]*?(?<!`)\3(?!`)/gm,
  )) {
    changed += change(text.slice(end, index)) + code;
    end = index + code.length;
  }
  return changed + change(text.slice(end));
}

/** A link in brackets: what comes after them. Its label may hold code, so only the target is looked at. */
const TARGET = /\]\((<[^>\n]*>|[^\s()]+)((?: "[^"]*")?)\)/g;
const ATTRIBUTE = /\b(href|src|srcset)="([^"]+)"/g;

/**
 * @param {string} text
 * @param {(link: string) => string} change
 */
export function mapLinks(text, change) {
  return inProse(text, (prose) =>
    prose
      .replace(TARGET, (_, link, title) => `](${change(link)}${title})`)
      .replace(ATTRIBUTE, (_, name, link) => `${name}="${change(link)}"`),
  );
}

/**
 * @param {string} text
 * @returns {string[]}
 */
export function linksOf(text) {
  /** @type {string[]} */
  const links = [];
  mapLinks(text, (link) => {
    links.push(link);
    return link;
  });
  return links;
}

/** @param {string} text */
export function pageTitle(text) {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '');
}

/**
 * The anchors of the headings as GitHub names them.
 *
 * @param {string} text
 * @returns {Set<string>}
 */
export function githubAnchors(text) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  const anchors = new Set();
  for (const [, heading = ''] of text.replaceAll(FENCE, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

/**
 * Without the comments that only checks read.
 *
 * @param {string} text
 */
export function withoutHidden(text) {
  return text.replaceAll(/^<!-- (?:given|check)\b[\s\S]*?-->\n+/gm, '');
}
