import { expect, it } from 'vitest';
import { BUILT_CLIENT, bundleClient } from './bundle.js';

it('the client loads no Node at once, and where it does later, only for stdio and Node’s own HTTP', async () => {
  const { eager, foreign, chunks } = await bundleClient();
  for (const name of eager) expect(foreign.get(name), name).toEqual([]);
  const needy = [...foreign].filter(([, imports]) => imports.length > 0).map(([name]) => name);
  const sources = needy.flatMap((name) => Object.keys(chunks.get(name)?.modules ?? {}));
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) {
    expect(source).toMatch(
      /\/src\/(transports\/stdio\/|transports\/http\/(client\/)?node-|framing\/|protocol\/secrets\.ts)/,
    );
  }
});

it('the built client loads no Node at once either', async () => {
  const { eager, foreign, chunks } = await bundleClient(BUILT_CLIENT);
  for (const name of eager) expect(foreign.get(name), name).toEqual([]);
  expect(chunks.size).toBeGreaterThan(eager.size);
});

it.each([
  ['sources', undefined],
  ['built files', BUILT_CLIENT],
])('the bundle of the %s names no package that a page would have to bring', async (_, input) => {
  const { chunks } = await bundleClient(input);
  const packages = [...chunks.values()].flatMap(({ dynamicImports }) =>
    dynamicImports.filter((name) => !chunks.has(name)),
  );
  expect(packages).toEqual([]);
});
