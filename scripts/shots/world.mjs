/**
 * What the pictures show: the demo server behind a chain that is watched, and a server that wants a login, with a real
 * authorization server; the inspector knows both. Everything comes from dist/.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Provider } from 'oidc-provider';
import { root } from '../run.mjs';

const built = (/** @type {string} */ path) => import(pathToFileURL(join(root, 'dist', path)).href);

/** @returns {Promise<{ url: URL, demo: string, guarded: string, chain: string, close(): Promise<void> }>} */
export async function createWorld() {
  const { createInspector, listenInspector } = await built('inspector/inspector.js');
  const { ChainWatch } = await built('inspector/watch-chain.js');
  const { createDemoServer } = await built('cli/demo/server.js');
  const { createChain } = await built('chain/index.js');
  const { createMemoryTokenStore } = await built('auth/index.js');

  const inspector = createInspector({ tokens: createMemoryTokenStore() });
  const watch = new ChainWatch(inspector.core, 'Demo chain');
  const serving = createChain().to(watch.wrap({ demo: createDemoServer() }));
  const { url: chainUrl } = await serving.http({ port: 0, tap: watch.tap });
  const guard = await startGuarded();
  const add = (/** @type {string} */ name, /** @type {string} */ url) => {
    const server = inspector.core.servers.create(
      { kind: 'url', url, headers: {} },
      { kind: 'command line' },
      name,
    );
    void server.connect();
    return /** @type {string} */ (server.id);
  };
  const demo = add('Plumb demo', chainUrl);
  const guarded = add('Guarded', guard.url);
  const listener = await listenInspector(inspector, 0);
  return {
    url: listener.url,
    demo,
    guarded,
    chain: chainUrl,
    close: async () => {
      await listener.close();
      await serving.close({ drain: 0 });
      await guard.close();
    },
  };
}

/** A server that wants a token, and who gives it out. */
async function startGuarded() {
  const { bearer } = await built('auth/index.js');
  const { createServer: createMcpServer } = await built('server/index.js');
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  // It tells on the console that it is set up for trying only, which it is.
  const quiet = { info: console.info, warn: console.warn };
  Object.assign(console, { info: () => undefined, warn: () => undefined });
  const provider = new Provider(issuer, {
    scopes: ['openid', 'offline_access', 'mcp'],
    issueRefreshToken: async () => true,
    cookies: { keys: ['pictures'] },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: 'mcp',
          audience: resource,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  const listening = provider.listen(port, '127.0.0.1');
  const server = createMcpServer({ name: 'guarded', version: '1.0.0' });
  server.tool('whoami', {}, () => 'somebody with a token');
  const serverPort = await freePort();
  const url = `http://127.0.0.1:${serverPort}/mcp`;
  await server.http({ port: serverPort, auth: bearer({ issuer, audience: url, requiredScopes: ['mcp'] }) });
  return {
    url,
    close: async () => {
      Object.assign(console, quiet);
      listening.closeAllConnections();
      listening.close();
      await server.close({ drain: 0 });
    },
  };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
