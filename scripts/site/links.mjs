/** Finds dead links: in the built site with anchors, and in the Markdown of the repository as GitHub and npm show it. */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { root } from '../run.mjs';
import { filesUnder } from '../stamp.mjs';
import { REPOSITORY } from './contents.mjs';
import { githubAnchors, linksOf } from './markdown.mjs';

/** Pages that exist only on the site, which are checked there. */
const MADE = /^docs\/(reference\/|chain\/configuration\.md$)/;

/**
 * @param {string} folder  of the built site
 * @returns {string[]}
 */
export function deadLinksOfSite(folder) {
  const files = filesUnder(folder).map((file) => relative(folder, file).replaceAll('\\', '/'));
  const known = new Set(files);
  const html = new Map(
    files
      .filter((file) => file.endsWith('.html'))
      .map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
  const ids = new Map(
    [...html].map(([file, text]) => [
      file,
      new Set([...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  /** Pages by what is wrong: the navigation is on every page. @type {Map<string, string[]>} */
  const problems = new Map();
  const report = (/** @type {string} */ problem, /** @type {string} */ file) =>
    problems.set(problem, [...(problems.get(problem) ?? []), file]);
  for (const [file, text] of html) {
    for (const [, link = ''] of text.matchAll(/\b(?:href|src)="([^"]+)"/g)) {
      if (/^[a-z]+:|^\/\//.test(link)) continue;
      const [path = '', anchor = ''] = decodeEntities(link).split('#');
      const target = path === '' ? file : fileFor(known, posix.join('/', posix.dirname(file)), path);
      if (target === undefined) report(`${link} leads nowhere`, file);
      else if (anchor !== '' && html.has(target) && !ids.get(target)?.has(decodeURIComponent(anchor)))
        report(`${link} names a heading that is missing`, file);
    }
  }
  return [...problems].map(([problem, [first, ...others]]) =>
    others.length === 0 ? `${first}: ${problem}` : `${first} and ${others.length} more: ${problem}`,
  );
}

/** @param {string} text */
function decodeEntities(text) {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

/**
 * @param {ReadonlySet<string>} known
 * @param {string} from
 * @param {string} path
 */
function fileFor(known, from, path) {
  const absolute = posix.resolve(from, decodeURIComponent(path)).slice(1);
  return [absolute, `${absolute}.html`, posix.join(absolute, 'index.html')].find((file) => known.has(file));
}

/** @returns {string[]} */
export function deadLinksOfRepository() {
  const papers = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
  const docs = filesUnder(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => relative(root, file).replaceAll('\\', '/'));
  return [...papers, ...docs].flatMap((file) =>
    linksOf(readFileSync(join(root, file), 'utf8')).flatMap((link) => {
      const problem = deadLink(file, link);
      return problem === undefined ? [] : [`${file}: ${link} ${problem}`];
    }),
  );
}

/**
 * @param {string} file
 * @param {string} link
 */
function deadLink(file, link) {
  const ours = /^https:\/\/github\.com\/plumb-mcp\/plumb\/(?:blob|tree|raw)\/main\/(.*)$/.exec(link)?.[1];
  if (link.startsWith(REPOSITORY) && ours === undefined) return undefined;
  if (/^[a-z]+:/.test(link) && ours === undefined) return undefined;
  // npm shows the README without the files beside it.
  if (file === 'README.md' && ours === undefined && !link.startsWith('#'))
    return 'is relative; npm needs the whole address';
  const [path = '', anchor] = (ours ?? link).split('#');
  const target = ours === undefined && path !== '' ? posix.join(posix.dirname(file), path) : path || file;
  if (MADE.test(target)) return undefined;
  if (!existsSync(join(root, target))) return 'leads nowhere';
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  const anchors = githubAnchors(readFileSync(join(root, target), 'utf8'));
  return anchors.has(anchor) ? undefined : 'names a heading that is missing';
}
