import { afterEach, describe, expect, it } from 'vitest';
import { createChain } from '../../../src/chain/index.js';
import { type Client, connect } from '../../../src/client/index.js';
import { APP_MIME_TYPE, appLinkOf, apps, toolOfApp } from '../../../src/extensions/index.js';
import { uriOfApp } from '../../../src/protocol/model/apps.js';
import { createServer, type Server } from '../../../src/server/index.js';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const HTML = '<!doctype html><title>Chart</title>';

function chartServer(): Server {
  const server = createServer({ name: 'charts', version: '1.0.0' });
  open.push(server);
  server.app('chart', {
    html: HTML,
    title: 'Chart',
    csp: { connectDomains: ['https://api.example.com'], resourceDomains: ['https://*.example.com'] },
    permissions: ['clipboardWrite'],
    prefersBorder: true,
  });
  server.tool(
    'sales',
    { app: 'chart', output: { type: 'object', properties: { total: { type: 'number' } } } },
    () => ({
      total: 3,
    }),
  );
  server.tool('refresh', { app: 'chart', visibility: ['app'], meta: { 'com.example/x': 1 } }, () => 'fresh');
  return server;
}

async function clientOf(target: Parameters<typeof connect>[0], options: object = {}): Promise<Client> {
  const client = await connect(target, options);
  open.push(client);
  return client;
}

describe('an app', () => {
  it.each(['2025-06-18', '2025-11-25', '2026-07-28'])(
    'is a page with its rules, and tools name it, in %s',
    async (revision) => {
      const client = await clientOf(chartServer(), { revisions: [revision] });
      const { contents } = await client.resources.read('ui://chart');
      expect(contents).toMatchObject([
        {
          uri: 'ui://chart',
          mimeType: APP_MIME_TYPE,
          text: HTML,
          _meta: {
            ui: {
              csp: {
                connectDomains: ['https://api.example.com'],
                resourceDomains: ['https://*.example.com'],
              },
              permissions: { clipboardWrite: {} },
              prefersBorder: true,
            },
          },
        },
      ]);
      const tools = await client.tools.list();
      const links = Object.fromEntries(tools.map((tool) => [tool.name, appLinkOf(tool)]));
      expect(links).toEqual({
        sales: { resourceUri: 'ui://chart', visibility: ['model', 'app'] },
        refresh: { resourceUri: 'ui://chart', visibility: ['app'] },
      });
      expect(tools.find(({ name }) => name === 'refresh')?._meta).toMatchObject({
        'com.example/x': 1,
        'ui/resourceUri': 'ui://chart',
      });
      // Without the extension, the result is all there is.
      expect(await client.tools.call('sales', {})).toMatchObject({
        content: [{ type: 'text' }],
        structuredContent: { total: 3 },
      });
    },
  );

  it('is declared by the server and by a gateway, where its address has the name of the server', async () => {
    const direct = await clientOf(chartServer());
    expect(direct.extension(apps).isDeclared).toBe(true);
    const gateway = createChain().to({ one: { server: chartServer() }, other: { server: chartServer() } });
    open.push(gateway);
    const client = await clientOf(gateway);
    expect(client.extension(apps).isDeclared).toBe(true);
    for (const tool of await client.tools.list()) {
      const { resourceUri = '' } = appLinkOf(tool);
      expect(resourceUri).toBe(`ui://${tool.name.split('__')[0]}/chart`);
      expect(await client.resources.read(resourceUri)).toMatchObject({
        contents: [{ uri: resourceUri, text: HTML }],
      });
    }
    const listed = await client.resources.list();
    expect(listed.map(({ uri }) => uri).sort()).toEqual(['ui://one/chart', 'ui://other/chart']);
  });

  it('means tools of its own server behind a gateway, also behind two of them', async () => {
    const forged = createServer({ name: 'forged', version: '1.0.0' });
    forged.tool(
      'refresh',
      { meta: { 'plumb-mcp/origin': { server: 'one', name: 'refresh' } } },
      () => 'not that',
    );
    forged.tool('own', {}, () => 'its own');
    const inner = createChain().to({
      one: { server: chartServer() },
      other: { server: chartServer() },
      'one/x': { server: forged },
    });
    const plain = createServer({ name: 'plain', version: '1.0.0' });
    plain.tool('secret', {}, () => 'elsewhere');
    const outer = createChain().to({ inner: { server: inner }, plain: { server: plain } });
    open.push(forged, plain, inner, outer);
    for (const [gateway, prefix] of [
      [inner, ''],
      [outer, 'inner__'],
    ] as const) {
      const client = await clientOf(gateway);
      const tools = await client.tools.list();
      for (const name of ['one', 'other']) {
        const app = tools.find((tool) => tool.name === `${prefix}${name}__sales`);
        expect(toolOfApp(app ?? {}, tools, 'refresh')?.name).toBe(`${prefix}${name}__refresh`);
        expect(toolOfApp(app ?? {}, tools, `${prefix}${name}__refresh`)?.name).toBe(
          `${prefix}${name}__refresh`,
        );
        for (const foreign of ['own', 'secret', 'plain__secret', `${prefix}one__x__refresh`])
          expect(toolOfApp(app ?? {}, tools, foreign)).toBeUndefined();
      }
    }
  });

  it('reads resources of its own server only behind a gateway, also behind two of them', async () => {
    const servers = ['one', 'other'].map((name): [string, { server: Server }] => {
      const server = chartServer();
      server.resource('ui://data', {}, () => `data of ${name}`);
      return [name, { server }];
    });
    const inner = createChain().to(Object.fromEntries(servers));
    const plain = createServer({ name: 'plain', version: '1.0.0' });
    plain.resource('file:///secret', {}, () => 'elsewhere');
    const outer = createChain().to({ inner: { server: inner }, 'a b': { server: plain } });
    open.push(plain, inner, outer);
    for (const [gateway, prefix, place] of [
      [inner, '', ''],
      [outer, 'inner__', 'inner/'],
    ] as const) {
      const client = await clientOf(gateway);
      const tools = await client.tools.list();
      const app = tools.find(({ name }) => name === `${prefix}one__sales`) ?? {};
      for (const uri of ['ui://data', `ui://${place}one/data`]) {
        expect(uriOfApp(app, uri)).toBe(`ui://${place}one/data`);
        const { contents } = await client.resources.read(uriOfApp(app, uri) ?? '');
        expect(contents).toMatchObject([{ text: 'data of one' }]);
      }
      for (const foreign of [
        `ui://${place}other/data`,
        `UI://${place}other/data`,
        `skill://${place}other/data`,
      ])
        await expect(client.resources.read(uriOfApp(app, foreign) ?? '')).rejects.toThrow(
          /not found|unknown/i,
        );
      for (const uncertain of ['file:///secret', 'ui:data', ' ui://data', ''])
        expect(uriOfApp(app, uncertain)).toBeUndefined();
    }
  });

  it('of a server that is alone means tools and resources by the names that it lists', async () => {
    const tools = await (await clientOf(chartServer())).tools.list();
    expect(toolOfApp(tools[0] ?? {}, tools, 'refresh')?.name).toBe('refresh');
    expect(uriOfApp(tools[0] ?? {}, 'file:///data')).toBe('file:///data');
    expect(tools.every(({ _meta }) => !('plumb-mcp/origin' in (_meta ?? {})))).toBe(true);
  });

  it.each([
    ['no page', () => ({}) as never, /needs "html"/],
    [
      'a directive in an origin',
      () => ({ html: '', csp: { connectDomains: ["https://a; script-src 'unsafe-eval'"] } }),
      /give an origin/,
    ],
    [
      'an unknown permission',
      () => ({ html: '', permissions: ['usb' as never] }),
      /unknown permission "usb"/,
    ],
    ['an unknown option', () => ({ html: '', scripts: [] }) as never, /no option "scripts"/],
  ])('is refused with %s', (_what, definition, message) => {
    const server = createServer({ name: 'charts', version: '1.0.0' });
    expect(() => server.app('chart', definition())).toThrow(message);
  });

  it('has to be there before its tools', () => {
    const server = createServer({ name: 'charts', version: '1.0.0' });
    expect(() => server.tool('sales', { app: 'chart' }, () => '')).toThrow(/add the app first/);
    expect(() => server.tool('sales', { visibility: [] }, () => '')).toThrow(/visibility/);
  });
});
