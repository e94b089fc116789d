/** The headers that repeat the body of a stateless request (Streamable HTTP, standard and custom headers). */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { stateless, statelessCall, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { RawSocket } from '../../support/raw-socket.js';

const sentinel = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

describeMatrix('standard headers', (start) => {
  type Headers = Record<string, string | undefined>;
  const call = async (headers: Headers, method = 'tools/call', params: JsonObject = { name: 'echo' }) => {
    const answer = await stateless(await start(createFixture().server), method, params, { id: 'h', headers });
    const response = await answer.response();
    return { status: answer.status, code: response.error?.code, id: response.id };
  };
  const REFUSED = { status: 400, code: -32020, id: 'h' };
  const SERVED = { status: 200, code: undefined, id: 'h' };

  it.each([
    ['no Mcp-Method', { 'mcp-method': undefined }],
    ['another Mcp-Method', { 'mcp-method': 'tools/list' }],
    ['Mcp-Method in another case', { 'mcp-method': 'TOOLS/CALL' }],
    ['an empty Mcp-Method', { 'mcp-method': '' }],
    ['two values in Mcp-Method', { 'mcp-method': 'tools/call, tools/call' }],
    ['no Mcp-Name', { 'mcp-name': undefined }],
    ['another Mcp-Name', { 'mcp-name': 'other' }],
    ['Mcp-Name in another case', { 'mcp-name': 'ECHO' }],
    ['an empty Mcp-Name', { 'mcp-name': '' }],
    ['bad base64 in Mcp-Name', { 'mcp-name': '=?base64?ZWNobw?=' }],
    ['the base64 of another name', { 'mcp-name': sentinel('other') }],
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['an unknown version', { 'mcp-protocol-version': '2030-01-01' }],
  ])('with %s are refused', async (_case, headers) => {
    expect(await call(headers)).toEqual(REFUSED);
  });

  it.each([
    ['spaces around Mcp-Name', { 'mcp-name': '  echo  ' }],
    ['the base64 of the name', { 'mcp-name': sentinel('echo') }],
    ['spaces around the base64', { 'mcp-name': ` ${sentinel('echo')} ` }],
    ['spaces around Mcp-Method', { 'mcp-method': ' tools/call ' }],
    ['parameter headers that nobody knows', { 'mcp-param-foo': 'bar', 'mcp-param-': 'x' }],
  ])('with %s are accepted', async (_case, headers) => {
    expect(await call(headers)).toEqual(SERVED);
  });

  it('of other methods need no name', async () => {
    expect(await call({}, 'tools/list', {})).toEqual(SERVED);
    expect(await call({ 'mcp-name': 'ignored' }, 'tools/list', {})).toEqual(SERVED);
  });

  it.each([
    ['prompts/get', { name: 'greet' }],
    ['resources/read', { uri: 'test://fixed' }],
  ])('of %s name what is asked for', async (method, params) => {
    expect(await call({}, method, params)).toEqual(SERVED);
    expect(await call({ 'mcp-name': undefined }, method, params)).toEqual(REFUSED);
    expect(await call({ 'mcp-name': 'other' }, method, params)).toEqual(REFUSED);
  });

  it('carry a name beyond ASCII only as base64', async () => {
    const { server } = createFixture();
    server.prompt('grüße', {}, () => 'hello');
    const target = await start(server);
    const params = { name: 'grüße' };
    const encoded = await stateless(target, 'prompts/get', params, {
      headers: { 'mcp-name': sentinel('grüße') },
    });
    expect(encoded.status).toBe(200);
    const raw = await stateless(target, 'prompts/get', params, { headers: { 'mcp-name': 'grüße' } });
    expect([raw.status, (await raw.error()).code]).toEqual([400, -32020]);
  });

  it('are not fooled by a name that is itself a sentinel: a proxy reads something else', async () => {
    const { server } = createFixture();
    const name = sentinel('echo');
    server.prompt(name, {}, () => 'hello');
    const target = await start(server);
    const literal = await stateless(target, 'prompts/get', { name }, { headers: { 'mcp-name': name } });
    expect([literal.status, (await literal.error()).code]).toEqual([400, -32020]);
    const encoded = await stateless(
      target,
      'prompts/get',
      { name },
      { headers: { 'mcp-name': sentinel(name) } },
    );
    expect(encoded.status).toBe(200);
  });
});

describeMatrix('parameter headers', (start) => {
  const call = async (args: JsonObject, headers: Record<string, string>) => {
    const target = await start(createFixture().server);
    const answer = await statelessTool(target, 'mirrored', args, { id: 'h', headers });
    const response = await answer.response();
    return { status: answer.status, code: response.error?.code, id: response.id };
  };
  const REFUSED = { status: 400, code: -32020, id: 'h' };
  const SERVED = { status: 200, code: undefined, id: 'h' };

  it.each<[string, JsonObject, Record<string, string>]>([
    [
      'equal values',
      { region: 'us', count: 42, dry: true },
      { 'mcp-param-region': 'us', 'mcp-param-count': '42', 'mcp-param-dry': 'true' },
    ],
    ['header names in another case', { region: 'us' }, { 'MCP-PARAM-REGION': 'us' }],
    ['an integer written with a fraction', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['base64', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8=?=' }],
    [
      'what is no sentinel at its start',
      { region: 'base64?SGVsbG8=?=' },
      { 'mcp-param-region': 'base64?SGVsbG8=?=' },
    ],
    [
      'what is no sentinel at its end',
      { region: '=?base64?SGVsbG8=' },
      { 'mcp-param-region': '=?base64?SGVsbG8=' },
    ],
    ['a value beyond ASCII', { region: '東京' }, { 'mcp-param-region': sentinel('東京') }],
    ['an empty value', { region: '' }, { 'mcp-param-region': '' }],
    ['a nested value', { place: { zone: 'a' } }, { 'mcp-param-zone': 'a' }],
    ['nothing', {}, {}],
    ['null, which the schema may refuse', { place: {} }, {}],
  ])('accept %s', async (_case, args, headers) => {
    expect(await call(args, headers)).toEqual(SERVED);
  });

  it.each<[string, JsonObject, Record<string, string>]>([
    ['a missing header', { region: 'us' }, {}],
    ['another value', { region: 'us' }, { 'mcp-param-region': 'eu' }],
    ['a value in another case', { region: 'us' }, { 'mcp-param-region': 'US' }],
    ['base64 with bad padding', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
    ['base64 with bad characters', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }],
    ['another integer', { count: 42 }, { 'mcp-param-count': '41' }],
    ['another boolean', { dry: true }, { 'mcp-param-dry': 'false' }],
    ['a missing nested header', { place: { zone: 'a' } }, {}],
    ['the value twice', { region: 'us' }, { 'mcp-param-region': 'us, us' }],
  ])('refuse %s', async (_case, args, headers) => {
    expect(await call(args, headers)).toEqual(REFUSED);
  });

  it('do not expect a header for null', async () => {
    const answer = await call({ region: null }, {});
    expect(answer.code).not.toBe(-32020);
  });
});

describe('headers on the wire', () => {
  it('are found whatever the case of their names', async () => {
    const { server } = createFixture();
    const handle = await server.http();
    const { body } = statelessCall('tools/call', { name: 'echo', arguments: { text: 'hi' } });
    const text = JSON.stringify(body);
    const socket = await RawSocket.open(handle.origin);
    await socket.head(
      'POST /mcp HTTP/1.1',
      `HOST: ${new URL(handle.origin).host}`,
      'CONTENT-TYPE: application/json',
      'ACCEPT: application/json, text/event-stream',
      'mcp-PROTOCOL-version: 2026-07-28',
      'mCP-mETHOD:\ttools/call \t',
      'MCP-NAME:   echo   ',
      `CONTENT-LENGTH: ${Buffer.byteLength(text)}`,
      'CONNECTION: close',
    );
    await socket.write(text);
    await socket.closed;
    expect(socket.status).toBe(200);
    await server.close({ drain: 0 });
  });

  it('with raw bytes beyond ASCII are refused', async () => {
    const { server } = createFixture();
    server.prompt('é', {}, () => 'hello');
    const handle = await server.http();
    const text = JSON.stringify(statelessCall('prompts/get', { name: 'é' }).body);
    for (const bytes of [Buffer.from('é', 'latin1'), Buffer.from('é', 'utf8')]) {
      const socket = await RawSocket.open(handle.origin);
      await socket.write(
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n',
      );
      await socket.write('MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: prompts/get\r\nMcp-Name: ');
      await socket.write(bytes);
      await socket.head('', `Content-Length: ${Buffer.byteLength(text)}`);
      await socket.write(text);
      expect(await socket.closed).toContain('-32020');
      expect(socket.status).toBe(400);
    }
    await server.close({ drain: 0 });
  });
});
