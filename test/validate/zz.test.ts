import { test } from 'vitest';
import { clientTrial } from './mutations/client-harness.js';
import { CLIENT_MUTATIONS } from './mutations/client-mutations.js';
const ids = (process.env.IDS ?? '').split(' ');
test('x', { timeout: 200000 }, async () => {
  for (const m of CLIENT_MUTATIONS.filter((m) => ids.includes(m.id))) { const t = await clientTrial(m); console.log('>>', m.id, m.name, t.found, t.message); }
});
