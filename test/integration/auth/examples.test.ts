import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../support/authorization-server.js';
import { freePort } from '../../support/free-port.js';

let issuer: TestAuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await issuer.close();
});

describe('the examples', () => {
  it('meet each other: a protected server, and a program that steps up to the scope of a tool', async () => {
    const port = await freePort();
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    vi.stubEnv('ISSUER', issuer.issuer);
    vi.stubEnv('PORT', String(port));
    vi.stubEnv('CLIENT_ID', 'robot');
    vi.stubEnv('CLIENT_SECRET', 'hush');
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'client', `http://127.0.0.1:${port}/mcp`]);
    await import('../../../examples/auth-server.js');
    await import('../../../examples/auth-client.js');
    const said = log.mock.calls.map((words) => JSON.stringify(words)).join('\n');
    expect(said).toContain(`plumb login http://127.0.0.1:${port}/mcp`);
    expect(said).toContain('Your own notes');
    expect(said).toContain('Now you have 1');
    expect(issuer.to('/token').map(({ form }) => form.get('scope'))).toEqual([
      'notes:read',
      'notes:read notes:write',
    ]);
  });
});
