/** `llms.txt` and a Markdown copy of each page, for programs that read the site. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pageTitle } from './markdown.mjs';
import { PAGES } from './stage.mjs';

/**
 * @param {string} folder  of the built site
 * @param {readonly string[]} pages
 */
export function writeForAgents(folder, pages) {
  for (const page of pages) {
    const file = join(folder, page);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(join(PAGES, page), file);
  }
  const { groups } = JSON.parse(readFileSync(join(PAGES, 'contents.json'), 'utf8'));
  writeFileSync(join(folder, 'llms.txt'), index(groups));
}

/** @param {{ text: string, items: { text: string, link: string }[] }[]} groups */
function index(groups) {
  const lines = groups.flatMap(({ text, items }) => [
    `## ${text}`,
    '',
    ...items.map(({ link }) => {
      const page = readFileSync(join(PAGES, `${link}.md`), 'utf8');
      const about = summary(page);
      return `- [${pageTitle(page)}](${link}.md)${about ? `: ${about}` : ''}`;
    }),
    '',
  ]);
  return [
    '# Plumb',
    '',
    '> The MCP toolkit for TypeScript: servers, clients, a middleware chain, a compliance validator, a test runner and an',
    '> inspector, in every published revision of the Model Context Protocol. Package: plumb-mcp (ESM, Node 20.19 or newer).',
    '',
    'Every page has a Markdown copy at the address of the page with the ending .md.',
    '',
    ...lines,
  ].join('\n');
}

/**
 * The first sentence below the title.
 *
 * @param {string} page
 */
function summary(page) {
  const paragraph = /^# .+\n+([A-Z`][^\n]*(?:\n(?![\n#|-])[^\n]+)*)/m.exec(page)?.[1] ?? '';
  const plain = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? '';
}
