/** The pictures: where each is taken, and what is done before. */

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {{ demo: string, guarded: string }} Ids
 * @typedef {{
 *   name: string,
 *   hash: (ids: Ids) => string,
 *   prepare?: (page: Page, ids: Ids) => Promise<unknown>,
 *   after?: (page: Page) => Promise<unknown>,
 *   narrow?: true,
 * }} Picture
 */

/** @type {readonly Picture[]} */
export const pictures = [
  {
    name: 'overview',
    hash: () => '#/servers',
    prepare: (page) => page.getByRole('article').first().waitFor(),
  },
  { name: 'servers', narrow: true, hash: ({ demo }) => `#/servers/${demo}` },
  {
    name: 'tools',
    narrow: true,
    hash: ({ demo }) => `#/tools/${demo}/add`,
    prepare: async (page) => {
      await page.locator('#arg_a').fill('17');
      await page.locator('#arg_b').fill('23');
      await call(page);
      await page.getByText('fits its schema').waitFor();
      await page.mouse.move(0, 0);
    },
  },
  {
    name: 'resources',
    hash: ({ demo }) => `#/resources/${demo}/${encodeURIComponent('demo://readme')}`,
    prepare: (page) => page.getByRole('heading', { name: 'Contents' }).waitFor(),
  },
  {
    name: 'prompts',
    hash: ({ demo }) => `#/prompts/${demo}/review`,
    prepare: async (page) => {
      await page.getByLabel('Code').fill('const line = plumb();');
      await page.getByLabel('Language').fill('typescript');
      await page.getByRole('button', { name: 'Get the messages' }).click();
      await page.getByRole('heading', { name: 'Messages' }).waitFor();
      await page.mouse.move(0, 0);
    },
  },
  {
    name: 'elicitation',
    hash: ({ demo }) => `#/tools/${demo}/ask_form`,
    prepare: async (page) => {
      await call(page);
      await page.getByRole('heading', { name: 'Elicitation: a form to fill in' }).waitFor();
      await page.getByRole('link', { name: /^Elicitation/ }).click();
      await page.getByLabel('E-mail').waitFor();
    },
    after: (page) => page.getByRole('button', { name: 'Decline' }).click(),
  },
  {
    name: 'composer',
    hash: ({ demo }) => `#/composer/${demo}`,
    prepare: (page) => page.getByRole('textbox', { name: 'Params as JSON' }).waitFor(),
  },
  { name: 'logs', hash: ({ demo }) => `#/logs/${demo}` },
  {
    name: 'timeline',
    narrow: true,
    hash: ({ demo }) => `#/timeline/${demo}`,
    prepare: async (page) => {
      const filters = page.getByRole('button', { name: /^Filters/ });
      // On a narrow page they are closed.
      if ((await filters.getAttribute('aria-expanded')) === 'false') await filters.click();
      await page.getByLabel('Source').selectOption('inspector');
      await page.getByRole('option').filter({ hasText: 'ask_form' }).first().click();
      await page.getByRole('tab', { name: 'Call' }).click();
      await page.getByRole('heading', { name: 'Round 2' }).waitFor();
    },
  },
  {
    name: 'diagram',
    hash: ({ demo }) => `#/timeline/${demo}`,
    prepare: async (page) => {
      await page.getByLabel('Source').selectOption('chain');
      await page.getByRole('button', { name: 'Diagram' }).click();
    },
  },
  {
    name: 'hops',
    hash: ({ demo }) => `#/timeline/${demo}`,
    prepare: (page) => page.getByRole('button', { name: 'Hops' }).click(),
  },
  {
    name: 'auth',
    hash: ({ guarded }) => `#/auth/${guarded}`,
    prepare: async (page) => {
      if (await page.getByText('authorized', { exact: true }).isVisible()) return;
      await page.getByRole('button', { name: 'Log in' }).click();
      const [login] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'Open the login page' }).click(),
      ]);
      await logIn(login);
      await page.getByText('authorized', { exact: true }).waitFor();
      await login.close();
    },
  },
  {
    name: 'validate',
    hash: ({ guarded }) => `#/validate/${guarded}`,
    prepare: async (page, { demo }) => {
      await page.evaluate(`location.hash = '#/validate/${demo}'`);
      await page.getByRole('heading', { name: 'Validate Plumb demo' }).waitFor();
      if (await page.getByRole('button', { name: 'Run again' }).isVisible()) return;
      await page.getByRole('checkbox').nth(4).check();
      await page.getByRole('button', { name: 'Run the validator' }).click();
      await page.getByRole('heading', { name: 'Verdict' }).waitFor({ timeout: 180_000 });
    },
  },
];

/**
 * Some traffic and some logs to look at.
 *
 * @param {Page} page
 * @param {Ids} ids
 */
export async function warmUp(page, { demo }) {
  await page.evaluate(`location.hash = '#/logs/${demo}'`);
  await page.getByLabel('Level asked of the server').selectOption('debug');
  for (const tool of ['count', 'log', 'fail']) {
    await page.evaluate(`location.hash = '#/tools/${demo}/${tool}'`);
    await page.getByRole('region', { name: `Tool ${tool}` }).waitFor();
    await call(page);
    await page.getByRole('heading', { name: 'Result' }).waitFor();
  }
}

/** @param {Page} page */
function call(page) {
  return page.getByRole('button', { name: /^Call( again)?$/ }).click();
}

/** @param {Page} page the login page of the authorization server */
async function logIn(page) {
  await page.waitForLoadState();
  for (let steps = 0; steps < 4 && !page.url().includes('/callback'); steps += 1) {
    const name = page.locator('input[name=login]');
    if ((await name.count()) > 0) {
      await name.fill('alice');
      await page.locator('input[name=password]').fill('any');
    }
    await page.locator('button[type=submit]').click();
    await page.waitForLoadState();
  }
}
