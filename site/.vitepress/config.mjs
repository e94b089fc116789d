/** The site that `npm run docs` builds from the pages that scripts/site/stage.mjs has put below pages/. */
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const { groups, repository } = JSON.parse(
  readFileSync(new URL('../pages/contents.json', import.meta.url), 'utf8'),
);

export default defineConfig({
  title: 'Plumb',
  titleTemplate: ':title · Plumb',
  description: 'The MCP toolkit for TypeScript that speaks every revision of the protocol.',
  lang: 'en',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  // A server that publishes the site below a path sets it.
  base: process.env.PLUMB_SITE_BASE ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  metaChunk: true,
  // scripts/site/links.mjs checks links and anchors of all pages.
  ignoreDeadLinks: true,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    nav: [
      { text: 'Start', link: '/start/server' },
      { text: 'Server', link: '/server/tools' },
      { text: 'Client', link: '/client' },
      { text: 'Chain', link: '/chain' },
      { text: 'API', link: '/reference/server' },
    ],
    sidebar: groups,
    socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Source code' }],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
