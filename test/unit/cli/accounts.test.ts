import { createMemoryTokenStore } from 'plumb-mcp/auth';
import { expect, it } from 'vitest';
import { ofAccount } from '../../../src/cli/session/credentials.js';

it('keeps the logins of several accounts at one server apart', async () => {
  const store = createMemoryTokenStore();
  await ofAccount(store, 'work').set('https://a.example', { token: 'w' });
  await ofAccount(store, 'home@a.example').set('https://a.example', { token: 'h' });
  expect(await ofAccount(store, 'work').get('https://a.example')).toEqual({ token: 'w' });
  expect(await ofAccount(store, 'home@a.example').get('https://a.example')).toEqual({ token: 'h' });
  expect(await ofAccount(store, undefined).get('https://a.example')).toBeUndefined();
});

it('refuses a name that could be taken for another key', () => {
  expect(() => ofAccount(createMemoryTokenStore(), 'a b')).toThrow('is not a name for an account');
});
