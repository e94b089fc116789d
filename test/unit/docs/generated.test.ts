import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderClientStates } from '../../../scripts/generate-docs.mjs';
import * as machine from '../../../src/client/connection/machine.js';

it('docs/client-states.md is what the machine does (npm run docs writes it)', () => {
  const page = new URL('../../../docs/client-states.md', import.meta.url);
  expect(readFileSync(page, 'utf8')).toBe(renderClientStates(machine));
});
