/**
 * Puts the pages of the site below site/pages/: those of docs/, some papers of the repository, and the pages that are made
 * from the declarations. Links that leave docs/ lead to the repository.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { root } from '../run.mjs';
import { filesUnder } from '../stamp.mjs';
import { GROUPS, REPOSITORY } from './contents.mjs';
import { mapLinks, pageTitle, withoutHidden } from './markdown.mjs';

export const PAGES = join(root, 'site', 'pages');

/** Papers of the repository that are pages too, by their place on the site. */
const PAPERS = new Map([
  ['CHANGELOG.md', 'changelog.md'],
  ['CONTRIBUTING.md', 'contributing.md'],
  ['SECURITY.md', 'reporting.md'],
]);

/**
 * @param {ReadonlyMap<string, string>} made  pages that are made from code, by path
 * @returns {string[]} the paths of all pages
 */
export function stage(made) {
  rmSync(PAGES, { recursive: true, force: true });
  const docs = join(root, 'docs');
  const pages = new Map(made);
  for (const file of filesUnder(docs)) {
    const path = relative(docs, file).replaceAll('\\', '/');
    if (path.endsWith('.md')) pages.set(path, siteText(`docs/${path}`, path));
    else copy(file, path);
  }
  for (const [paper, path] of PAPERS) pages.set(path, siteText(paper, path));
  for (const [path, text] of pages) write(path, text);
  write('contents.json', JSON.stringify({ repository: REPOSITORY, groups: sidebar(pages) }));
  return [...pages.keys()];
}

/**
 * The text of a page as the site has it.
 *
 * @param {string} source  path in the repository
 * @param {string} path  path on the site
 */
function siteText(source, path) {
  const text = withTitles(withoutHidden(readFileSync(join(root, source), 'utf8')), source);
  const linked = inBothSchemes(mapLinks(text, (link) => siteLink(link, source, path)));
  // Double braces are code of VitePress, unless a page says otherwise.
  return /\{\{/.test(linked) ? `::: v-pre\n${linked}\n:::\n` : linked;
}

/**
 * A link whose label is the name of a file shows the title of the page instead.
 *
 * @param {string} text
 * @param {string} source
 */
function withTitles(text, source) {
  return text.replaceAll(
    /\[([\w./-]+\.md)\]\(([^)\s#]+)((?:#[^)\s]*)?)\)/g,
    (whole, _label, link, anchor) => {
      const file = join(root, posix.join(posix.dirname(source), link));
      const title = existsSync(file) ? pageTitle(readFileSync(file, 'utf8')) : undefined;
      return title === undefined ? whole : `[${title}](${link}${anchor})`;
    },
  );
}

/**
 * A picture that exists in light and in dark is shown as the page is.
 *
 * @param {string} text
 */
function inBothSchemes(text) {
  return text.replaceAll(
    /^!\[([^\]]*)\]\((\S+\/)(\S+)-(light|dark)\.png\)$/gm,
    (line, about, folder, name) => {
      const pictures = ['light', 'dark'].map((scheme) => `${name}-${scheme}.png`);
      if (!pictures.every((file) => existsSync(join(root, 'docs', 'images', file)))) return line;
      const [light, dark] = pictures;
      return `![${about}](${folder}${light}){.only-light} ![${about}](${folder}${dark}){.only-dark}`;
    },
  );
}

/**
 * @param {string} link
 * @param {string} source
 * @param {string} path
 */
function siteLink(link, source, path) {
  if (/^([a-z]+:|#|\/)/.test(link)) return link;
  const [file = '', anchor] = link.split('#');
  const target = posix.normalize(posix.join(posix.dirname(source), file));
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  const page = target.startsWith('docs/') ? target.slice('docs/'.length) : PAPERS.get(target);
  if (page !== undefined) {
    const near = posix.relative(posix.dirname(path), page);
    return `${near.startsWith('.') ? near : `./${near}`}${suffix}`;
  }
  const place = join(root, target);
  if (!existsSync(place)) return link;
  return `${REPOSITORY}/${statSync(place).isDirectory() ? 'tree' : 'blob'}/main/${target}${suffix}`;
}

/** @param {ReadonlyMap<string, string>} pages */
function sidebar(pages) {
  const left = new Set([...pages.keys()].map((path) => path.replace(/\.md$/, '')));
  left.delete('index');
  const item = (/** @type {string} */ path, /** @type {string} */ text) => {
    left.delete(path);
    return { text, link: `/${path}` };
  };
  const groups = GROUPS.map(({ text, pages: items }) => ({
    text,
    items: items.filter(([path]) => left.has(path)).map(([path, title]) => item(path, title)),
  }));
  const titled = (/** @type {string[]} */ paths) =>
    paths.map((path) => item(path, pageTitle(pages.get(`${path}.md`) ?? '') ?? path));
  const reference = [...left].filter((path) => path.startsWith('reference/'));
  const api = { text: 'API', items: titled(reference) };
  const more = { text: 'More', items: titled([...left]) };
  return [...groups.slice(0, -1), api, ...groups.slice(-1), more].filter(({ items }) => items.length > 0);
}

/**
 * @param {string} path
 * @param {string} text
 */
function write(path, text) {
  const file = join(PAGES, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/**
 * @param {string} from
 * @param {string} path
 */
function copy(from, path) {
  const file = join(PAGES, path);
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(from, file);
}
