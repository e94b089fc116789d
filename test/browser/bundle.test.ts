import { expect, it } from 'vitest';
import { bundleClient } from './bundle.js';

it('the client loads no Node at once, and where it does later, only for stdio and Node’s own HTTP', async () => {
  const { eager, foreign, chunks } = await bundleClient();
  for (const name of eager) expect(foreign.get(name), name).toEqual([]);
  const needy = [...foreign].filter(([, imports]) => imports.length > 0).map(([name]) => name);
  const sources = needy.flatMap((name) => Object.keys(chunks.get(name)?.modules ?? {}));
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) {
    expect(source).toMatch(/\/src\/(transports\/stdio\/|transports\/http\/node-|framing\/)/);
  }
});

it('the bundle names no package that a page would have to bring', async () => {
  const { chunks } = await bundleClient();
  const packages = [...chunks.values()].flatMap(({ dynamicImports }) =>
    dynamicImports.filter((name) => !chunks.has(name)),
  );
  expect(packages).toEqual([]);
});
