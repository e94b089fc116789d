/**
 * Takes pictures of sessions at a terminal, in light and in dark, into docs/images/: part of `npm run shots`.
 * `node scripts/terminal-shots.mjs DIRECTORY [NAME...]` writes some elsewhere. Needs util-linux (`script`), which gives the
 * command a terminal.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from './build.mjs';
import { root } from './run.mjs';
import { ansiToHtml } from './shots/ansi.mjs';
import { smallPng } from './shots/small-png.mjs';
import { codeBlocks } from './site/markdown.mjs';

const COLUMNS = 112;

/** What is typed, with the page whose server it uses. @type {Record<string, { page: string, commands: string[] }>} */
const SESSIONS = {
  server: {
    page: 'docs/start/server.md',
    commands: [
      'plumb list -- node server.js',
      "plumb call add_note text='Call Ada' -- node server.js",
      'plumb call add_note text= -- node server.js',
    ],
  },
  validate: { page: 'docs/start/validate.md', commands: ['plumb validate -- node server.js'] },
  doctor: { page: 'docs/start/validate.md', commands: ['plumb doctor -- node server.js'] },
};

const STYLE = `
  body { margin: 0; padding: 24px; display: inline-block; font: 14px/1.5 'DejaVu Sans Mono', monospace; }
  pre { margin: 0; font: inherit; white-space: pre-wrap; width: ${COLUMNS}ch; }
  .light { background: #f6f8fa; color: #1f2328; } .dark { background: #15171c; color: #e6e6e6; }
  .bold { font-weight: bold; } .dim { opacity: .7; }
  .light .red { color: #b3261e; } .light .green { color: #116329; } .light .yellow { color: #7d4e00; }
  .light .blue { color: #0550ae; } .light .magenta { color: #6639ba; } .light .cyan { color: #0b5d75; }
  .dark .red { color: #ff8a80; } .dark .green { color: #7ee787; } .dark .yellow { color: #f2cc60; }
  .dark .blue { color: #79c0ff; } .dark .magenta { color: #d2a8ff; } .dark .cyan { color: #6fd0e6; }
`;

const [directory = join(root, 'docs', 'images'), ...names] = process.argv.slice(2);
const output = resolve(directory);
const built = await build();
if (!built.ok) {
  process.stderr.write(built.output);
  process.exit(1);
}
mkdirSync(output, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
});
try {
  for (const [name, session] of Object.entries(SESSIONS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const html = play(session);
    for (const scheme of ['light', 'dark']) {
      const page = await browser.newPage({ deviceScaleFactor: 2 });
      await page.setContent(`<style>${STYLE}</style><body class="${scheme}"><pre>${html}</pre></body>`);
      const picture = await page.locator('body').screenshot();
      writeFileSync(join(output, `terminal-${name}-${scheme}.png`), smallPng(picture));
      console.log(`terminal-${name}-${scheme}.png`);
      await page.close();
    }
  }
} finally {
  await browser.close();
}

/**
 * Types the commands in a folder with the first server of the page, and returns the screen.
 *
 * @param {{ page: string, commands: string[] }} session
 */
function play({ page, commands }) {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-shots-'));
  try {
    const server = codeBlocks(readFileSync(join(root, page), 'utf8')).find(
      ({ language }) => language === 'ts',
    );
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(join(folder, 'server.js'), server?.code ?? '');
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'plumb-mcp'));
    symlinkSync(join(root, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'));
    return commands
      .map(
        (command) =>
          `<span class="bold">$ ${ansiToHtml(command)}</span>\n${ansiToHtml(typed(command, folder))}`,
      )
      .join('\n\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {string} cwd
 */
function typed(command, cwd) {
  const program = `"${process.execPath}" "${join(root, 'dist', 'cli', 'main.js')}"`;
  // The progress of a validation is gone when it has ended.
  const quiet = command.startsWith('plumb validate') ? ' 2>/dev/null' : '';
  const line = `stty cols ${COLUMNS}; ${command.replace(/^plumb/, program)}${quiet}`;
  const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { cwd, encoding: 'utf8' });
  return stdout.trimEnd();
}
