/** Events and notifications that are spelled in other ways than the specification has it. */

import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { connect } from '../../../src/client/index.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import type { ProgressParams } from '../../../src/protocol/model/notifications.js';
import { events, handshakeScript, result, scriptedServer } from '../../support/scripted-http.js';
import { handshakeServer, token, turn } from '../../support/scripted-server.js';

function named(name: string | undefined, value: unknown): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
}

function log(data: string): JsonObject {
  return { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } };
}

describe('events of a Streamable HTTP stream', () => {
  it('are read whatever their name, as long as they hold JSON-RPC', async () => {
    const server = await scriptedServer(
      handshakeScript(({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        const answer = result(message.id, { content: [] });
        events(
          response,
          named('notification', log('as notification')),
          named('', log('as nothing')),
          named(undefined, log('as unnamed')),
          named('progress', log('as progress')),
          named('ping', {}),
          'event: heartbeat\ndata: 12:00\n\n',
          'event: endpoint\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"as address"}}\n\n',
          'event: done\ndata:\n\n',
          named('response', answer),
        ).end();
        return true;
      }),
    );
    const heard: unknown[] = [];
    const faults: ClientFault[] = [];
    const client = await connect(server.url, {
      revisions: ['2025-11-25'],
      onLog: ({ data }) => heard.push(data),
      onFault: (fault) => faults.push(fault),
    });
    onTestFinished(() => client.close());
    expect(await client.request('tools/call', { name: 'x' })).toEqual({ content: [] });
    expect(heard).toEqual(['as notification', 'as nothing', 'as unnamed', 'as progress']);
    expect(faults).toEqual([]);
  });
});

describe('$/progress', () => {
  it.each<[string, JsonObject, Partial<ProgressParams>]>([
    ['a number', { value: 3 }, { progress: 3 }],
    [
      'a number with a total',
      { value: 3, total: 9, message: 'third' },
      { progress: 3, total: 9, message: 'third' },
    ],
    ['an object', { value: { progress: 2, total: 4 } }, { progress: 2, total: 4 }],
    [
      'percents',
      { value: { kind: 'report', percentage: 40, message: 'reading' } },
      { progress: 40, total: 100, message: 'reading' },
    ],
    ['a beginning', { value: { kind: 'begin', title: 'Indexing' } }, { progress: 0, message: 'Indexing' }],
    ['the standard fields', { progress: 1 }, { progress: 1 }],
  ])('with %s reaches onProgress and handlers', async (_name, params, expected) => {
    const notified: unknown[] = [];
    const progress: ProgressParams[] = [];
    const server = handshakeServer();
    const client = await connect(server, { onNotification: (notification) => notified.push(notification) });
    onTestFinished(() => client.close());
    const call = client.tools.call('x', {}, { onProgress: (params) => progress.push(params) });
    const request = await server.next('tools/call');
    server.notify('$/progress', { token: token(request), ...params });
    await turn();
    server.answer(request, { content: [] });
    await call;
    expect(progress).toEqual([{ progressToken: token(request), ...expected }]);
    expect(notified).toEqual([{ method: 'notifications/progress', params: progress[0] }]);
  });
});
