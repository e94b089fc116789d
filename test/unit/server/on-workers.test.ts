import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

beforeEach(() => {
  vi.stubGlobal('WebSocketPair', class {});
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a server on Workers', () => {
  it('lists a tool with optional tasks as an ordinary one, and runs it', async () => {
    const server = createServer({ name: 'worker', version: '1.0.0' });
    server.tool('report', { task: 'optional' }, () => 'done');
    const client = await connect(server);
    const [tool] = await client.tools.list();
    expect(tool).not.toHaveProperty('execution');
    expect(client.capabilities.tasks).toBeUndefined();
    expect(await client.tools.call('report', {})).toMatchObject({ content: [{ text: 'done' }] });
    await client.close();
  });

  it('refuses a tool that runs as a task only, by name', () => {
    const server = createServer({ name: 'worker', version: '1.0.0' });
    expect(() => server.tool('report', { task: 'required' }, () => 'done')).toThrow(
      /Tool "report" runs as a task only, and a Worker ends what goes on after an answer/,
    );
  });

  it('refuses a pattern that needs the engine it does not have, by its text', async () => {
    // Other tests may have loaded the engine.
    vi.resetModules();
    const { compileJsonSchema } = await import('../../../src/protocol/schema/json-schema.js');
    const schema = { type: 'object', properties: { code: { type: 'string', pattern: '^(a+)+$' } } };
    await expect(compileJsonSchema(schema)).rejects.toThrow(
      /The pattern "\^\(a\+\)\+\$" may take more than linear time/,
    );
    await expect(
      compileJsonSchema({ type: 'object', properties: { code: { type: 'string', pattern: '^[a-z]+$' } } }),
    ).resolves.toBeTypeOf('function');
  });
});
