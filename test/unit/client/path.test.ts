import { expect, it } from 'vitest';
import { connect } from '../../../src/client/connect.js';
import { createServer } from '../../../src/server/server.js';

/** The files of src/ that have a function on the stack, each once, the outermost first. */
function filesOnStack(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const { stack = '' } = new Error('here');
  Error.stackTraceLimit = stackTraceLimit;
  const frames = stack.split('\n').map((frame) => /\/src\/([\w/-]+)\.ts/.exec(frame)?.[1]);
  return [...new Set(frames.filter((file) => file !== undefined))].reverse();
}

it.each(['2025-11-25', '2026-07-28'])(
  'passes nine objects from tools.call to the request, in %s',
  async (revision) => {
    const server = createServer({ name: 'here', version: '1.0.0' });
    server.tool('add', {}, () => '3');
    let files: string[] = [];
    const client = await connect('http://127.0.0.1/mcp', {
      revisions: [revision],
      fetch: (url, init) => {
        files = filesOnStack();
        return server.fetch(new Request(url, init));
      },
    });
    await client.tools.call('add');
    files = [];
    await client.tools.call('add');
    expect(files).toEqual([
      'client/features/tools',
      'client/core',
      'client/connection/exchange',
      'client/connection/link',
      'transports/http/client/transport',
      'transports/http/client/streamable',
      'transports/http/client/exchange',
      'transports/http/client/attempt',
      'transports/http/client/fetch-requester',
    ]);
    await client.close();
    await server.close();
  },
);
