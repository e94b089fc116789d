/** A server inside the frameworks that people have, and the examples that show how. */

import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type ServerType, serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Server } from '../../../src/server/index.js';
import {
  initializeMessage,
  post,
  SessionPeer,
  stateless,
  statelessCall,
  statelessTool,
} from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { type HttpCall, sendTo } from '../../support/http-target.js';
import { textOf } from '../../support/wire-peer.js';

const PROGRESS = { meta: { progressToken: 'p' } };
const running: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of running.splice(0)) await close();
});

function listening(http: HttpServer): Promise<string> {
  running.push(() => http.close().closeAllConnections());
  return new Promise((resolve) => {
    http.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));
  });
}

/** How each framework serves `/mcp`; resolves with the origin. */
const MOUNTS: Readonly<Record<string, (server: Server) => Promise<string>>> = {
  'node:http': (server) => listening(createHttpServer(server.node)),

  Express: (server) => {
    const app = express();
    app.all('/mcp', server.node);
    return listening(createHttpServer(app));
  },

  'Express with express.json()': (server) => {
    const app = express();
    app.use(express.json({ limit: '1mb' }));
    app.all('/mcp', server.node);
    return listening(createHttpServer(app));
  },

  'Express with express.text() and below a path': (server) => {
    const app = express();
    const router = express.Router();
    router.use(express.text({ type: '*/*' }));
    router.all('/mcp', server.node);
    app.use('/', router);
    return listening(createHttpServer(app));
  },

  Fastify: async (server) => {
    const app = fastify();
    app.all('/mcp', (request, reply) => {
      reply.hijack();
      server.node(Object.assign(request.raw, { body: request.body }), reply.raw);
    });
    running.push(() => {
      app.server.closeAllConnections();
      return app.close();
    });
    return app.listen({ port: 0, host: '127.0.0.1' });
  },

  Hono: async (server) => {
    const app = new Hono();
    app.all('/mcp', (c) => server.fetch(c.req.raw));
    const http = await new Promise<ServerType>((resolve) => {
      const started = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => resolve(started));
    });
    running.push(() => {
      if ('closeAllConnections' in http) http.closeAllConnections();
      http.close();
    });
    return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  },
};

describe.each(Object.entries(MOUNTS))('mounted in %s', (_name, mount) => {
  const open = async (options = {}) => {
    const fixture = createFixture(options);
    running.push(() => fixture.server.close({ drain: 0 }));
    const origin = await mount(fixture.server);
    return { ...fixture, origin, target: { send: (call: HttpCall) => sendTo(origin, call) } };
  };

  it('a tool is called in both eras', async () => {
    const { target } = await open();
    const modern = await statelessTool(target, 'echo', { text: 'modern ☃' });
    expect(textOf(await modern.result())).toBe('modern ☃');
    const peer = await SessionPeer.open(target, '2025-06-18');
    expect(textOf(await (await peer.tool('echo', { text: 'old ☃' })).result())).toBe('old ☃');
    expect((await peer.end()).status).toBe(204);
    expect((await peer.request('ping')).status).toBe(404);
  });

  it('events come while the call runs', async () => {
    const { target, steps } = await open();
    const peer = await SessionPeer.open(target, '2025-11-25');
    for (const call of [statelessTool(target, 'tell', {}, PROGRESS), peer.tool('tell', {}, PROGRESS)]) {
      const answer = await call;
      expect((await answer.message('notifications/progress')).params?.progress).toBe(1);
    }
    steps.open('more');
    steps.open('go');
  });

  it('a batch, a notification and an answer arrive', async () => {
    const { target } = await open();
    const peer = await SessionPeer.open(target, '2025-03-26', { capabilities: { roots: {} } });
    expect(await (await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).json()).toHaveLength(1);
    const call = await peer.tool('roots');
    const question = await call.message('roots/list');
    expect((await peer.answer(question.id, { roots: [{ uri: 'file:///here' }] })).status).toBe(202);
    expect(textOf((await call.messages()).at(-1)?.result ?? {})).toContain('file:///here');
  });

  it('the GET stream and subscriptions are live', async () => {
    const { target, server } = await open();
    const peer = await SessionPeer.open(target, '2025-06-18');
    const get = await peer.stream();
    const listen = await stateless(target, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    await listen.message();
    server.listChanged('tools');
    expect((await get.message()).method).toBe('notifications/tools/list_changed');
    expect((await listen.message()).method).toBe('notifications/tools/list_changed');
    get.drop();
    listen.drop();
  });

  it('a stateless client that leaves cancels its call', async () => {
    const { target, steps } = await open();
    const answer = await statelessTool(target, 'tell', {}, PROGRESS);
    await answer.message();
    answer.drop();
    await steps.until('cancelled');
  });

  it('foreign hosts and origins are refused', async () => {
    const { target } = await open();
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      expect((await post(target, initializeMessage('2025-11-25'), headers)).status).toBe(403);
    }
  });

  it('malformed JSON is refused, and the next request served', async () => {
    const { target } = await open();
    expect((await post(target, '{"jsonrpc":')).status).toBe(400);
    expect((await statelessTool(target, 'echo')).status).toBe(200);
  });

  it('JSON that nests without end does no harm', async () => {
    const { target } = await open();
    const { body, headers } = statelessCall('tools/call', { name: 'echo', arguments: { text: 'DEEP' } });
    const deep = '['.repeat(40_000) + ']'.repeat(40_000);
    const answer = await post(target, JSON.stringify(body).replace('"DEEP"', deep), headers);
    expect([200, 400]).toContain(answer.status);
    expect((await answer.text()).length).toBeLessThan(1000);
    expect((await statelessTool(target, 'echo')).status).toBe(200);
  });
});

describe.each(['node', 'express', 'fastify', 'hono'])('examples/http-%s.ts', (name) => {
  /** A port that was free a moment ago. */
  const freePort = (): Promise<number> =>
    new Promise((resolve) => {
      const probe = createTcpServer().listen(0, '127.0.0.1', () => {
        const { port } = probe.address() as AddressInfo;
        probe.close(() => resolve(port));
      });
    });

  it('serves its tool, answers its own route, and stops when told to', async () => {
    const before = process.listeners('SIGTERM');
    const started = new Promise<string>((resolve) => {
      vi.spyOn(console, 'log').mockImplementation((line: string) => resolve(line));
    });
    vi.stubEnv('PORT', String(await freePort()));
    await import(`../../../examples/http-${name}.ts`);
    const url = new URL(await started);
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    const target = { send: (call: HttpCall) => sendTo(url.origin, call) };
    const modern = await statelessTool(target, 'forecast', { city: 'Bern' });
    expect(textOf(await modern.result())).toBe('Tomorrow in Bern: sunny');
    const peer = await SessionPeer.open(target, '2025-11-25');
    const old = await peer.tool('forecast', { city: 'Oslo' });
    expect(textOf(await old.result())).toBe('Tomorrow in Oslo: sunny');
    const own = await target.send({ method: 'GET', path: '/' });
    expect(await own.text()).toBe('Everything else is yours\n');
    const stream = await peer.stream();
    const stop = process.listeners('SIGTERM').find((listener) => !before.includes(listener));
    await stop?.('SIGTERM');
    expect(await stream.ending).toBe('end');
    await expect(statelessTool(target, 'forecast', { city: 'Rome' })).rejects.toThrow('ECONNREFUSED');
  });
});
