/** What middleware hands to handlers: values, and who is calling. */

import { expect, test } from 'vitest';
import { connect, textOf } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer } from '../../../src/server/index.js';

const VERSIONS = REVISIONS.map(({ version }) => version);

test.each(VERSIONS)('a handler reads the state that middleware left for a call of %s', async (version) => {
  let made = 0;
  const server = createServer({
    name: 's',
    version: '1',
    state: () => {
      made += 1;
      return { user: 'nobody', trail: [] as string[] };
    },
  });
  server.use((call, next) => {
    call.state.trail.push('outer');
    return next(call);
  });
  server.use('tools/call', (call, next) => {
    call.state.trail.push('inner');
    return next({ ...call, state: { ...call.state, user: String(call.params.arguments?.as) } });
  });
  server.tool('who', { input: { type: 'object', properties: { as: { type: 'string' } } } }, (_args, ctx) =>
    JSON.stringify(ctx.state),
  );
  const client = await connect(server, { revisions: [version] });
  expect(textOf(await client.tools.call('who', { as: 'ada' }))).toBe(
    '{"user":"ada","trail":["outer","inner"]}',
  );
  expect(textOf(await client.tools.call('who', { as: 'bob' }))).toBe(
    '{"user":"bob","trail":["outer","inner"]}',
  );
  expect(made).toBeGreaterThan(1);
  await client.close();
});

test.each(VERSIONS)('a handler of %s sees the caller that middleware put in place', async (version) => {
  const server = createServer({ name: 's', version: '1' });
  server.use('tools/call', (call, next) => next({ ...call, caller: { ...call.caller, principal: 'ada' } }));
  server.tool('who', {}, (_args, ctx) => ctx.caller.principal);
  const client = await connect(server, { revisions: [version] });
  expect(textOf(await client.tools.call('who'))).toBe('ada');
  await client.close();
});

test('middleware for a method gets params of the right shape, whatever the client sent', async () => {
  const server = createServer({ name: 's', version: '1' });
  let seen = 0;
  server.use('tools/call', (call, next) => {
    seen += call.params.name.length;
    return next();
  });
  server.tool('t', {}, () => 'ran');
  const client = await connect(server);
  await expect(client.request('tools/call', { name: 5 } as never)).rejects.toThrow('"name" must be a string');
  expect(seen).toBe(0);
  await client.close();
});

test('a method that the protocol does not have is refused in untyped code too', () => {
  const server = createServer({ name: 's', version: '1' });
  const use = server.use.bind(server) as (...given: unknown[]) => unknown;
  expect(() => use('tools/cal', () => ({}))).toThrow('The protocol has no method "tools/cal"');
  expect(() => use('tool/*', () => ({}))).toThrow('no method "tool/*"');
  expect(() => use(5)).toThrow('use() takes functions');
  expect(() => use('tools/*', () => ({}))).not.toThrow();
});
