import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createInspector, listenInspector } from '../../../src/inspector/inspector.js';

const BUILT = new URL('../../../dist/inspector/web/index.html', import.meta.url);

it('serves the page that was built, also when it runs from the sources', async () => {
  const listener = await listenInspector(createInspector(), 0);
  try {
    const response = await fetch(listener.url);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(readFileSync(BUILT, 'utf8'));
  } finally {
    await listener.close();
  }
});
