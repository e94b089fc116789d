/**
 * Builds the documentation site: pages, VitePress, copies for agents, and the check of all links.
 * On its own (`npm run docs` does it after the generated pages): `node scripts/site/build.mjs`.
 */
import { join } from 'node:path';
import { install } from '../install.mjs';
import { isMain, root, run } from '../run.mjs';
import { canLook, checkAccessibility } from './accessibility.mjs';
import { apiPages } from './api-pages.mjs';
import { checkBlocks } from './blocks.mjs';
import { configPage } from './config-page.mjs';
import { writeForAgents } from './for-agents.mjs';
import { deadLinksOfRepository, deadLinksOfSite } from './links.mjs';
import { checkMentions } from './mentions.mjs';
import { stage } from './stage.mjs';

/** @typedef {import('../run.mjs').Outcome} Outcome */

const folder = join(root, 'site');
export const BUILT = join(folder, 'dist');

/**
 * @param {{ look?: boolean }} [options]  `look`: also look at pages in a browser
 * @returns {Promise<Outcome>}
 */
export async function buildSite({ look = false } = {}) {
  const installed = await install(folder);
  if (!installed.ok) return installed;
  const { problems, blocks } = checkBlocks();
  const { missing, names } = checkMentions();
  const wrong = [...problems, ...missing];
  if (wrong.length > 0) return { ok: false, output: `${wrong.join('\n')}\n` };
  const pages = stage(new Map([...apiPages(), ['chain/configuration.md', configPage()]]));
  const built = await vitepress();
  if (!built.ok) return built;
  writeForAgents(BUILT, pages);
  const looked = look && canLook();
  if (look && !looked && process.env.CI === 'true') return { ok: false, output: 'Chromium is missing\n' };
  const dead = [
    ...deadLinksOfRepository(),
    ...deadLinksOfSite(BUILT),
    ...(looked ? await checkAccessibility(BUILT) : []),
  ];
  return {
    ok: dead.length === 0,
    output: dead.map((line) => `${line}\n`).join(''),
    note: `${pages.length} pages, ${blocks} blocks of code, ${names} public names${look && !looked ? '; not looked at, because Chromium is missing' : ''}`,
  };
}

/** @returns {Promise<Outcome>} */
async function vitepress() {
  const program = join(folder, 'node_modules/vitepress/bin/vitepress.js');
  const result = await run(process.execPath, [program, 'build', folder]);
  // A page that cannot be rendered is left empty, and the build succeeds.
  return { ...result, ok: result.ok && !/^\w*Error: /m.test(result.output) };
}

if (isMain(import.meta)) {
  const result = await buildSite();
  process.stdout.write(result.output);
  console.log(result.ok ? `Built ${result.note} in site/dist` : 'The site was not built');
  process.exitCode = result.ok ? 0 : 1;
}
