/** Without middleware a chain cuts messages out of their texts; with some it decodes them. Nobody must notice. */

import fc from 'fast-check';
import { type Chain, createChain } from 'plumb-mcp/chain';
import { createMemoryPair, type Transport } from 'plumb-mcp/transports';
import { afterAll, describe, expect, test } from 'vitest';
import { decodeText } from '../../../src/jsonrpc/decode.js';
import { isRecord } from '../../../src/jsonrpc/message.js';
import { objectText, space } from '../../support/json-texts.js';

const REVISION = '2025-11-25';

/** A server that answers every call with the text that it was told to, and keeps what it was sent. */
class CannedServer {
  result = '{}';
  readonly received: string[] = [];

  transport(): Transport {
    const [ours, theirs] = createMemoryPair();
    void ours.start({
      message: (_decoded, text) => this.#answer(ours, text),
      fault: () => undefined,
      closed: () => undefined,
    });
    return theirs;
  }

  #answer(to: Transport, text: string): void {
    const decoded = decodeText(text);
    if (decoded.kind !== 'request') return;
    const { id, method } = decoded.message;
    const write = (result: string): unknown => to.send(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
    if (method === 'initialize') {
      const capabilities = { tools: {}, prompts: {} };
      const serverInfo = { name: 'canned', version: '1' };
      write(JSON.stringify({ protocolVersion: REVISION, capabilities, serverInfo }));
    } else if (method === 'ping') write('{}');
    else {
      this.received.push(text);
      write(this.result);
    }
  }
}

/** One client on the wire of a chain. */
class WireClient {
  readonly server: CannedServer = new CannedServer();
  readonly built: Chain;
  readonly #transport: Transport;
  #heard: ((text: string) => void) | undefined;

  constructor(layers: Parameters<Chain['use']>) {
    this.built = createChain({ onError: () => undefined }).to(this.server);
    this.built.use(...layers);
    this.#transport = this.built.transport();
  }

  async open(): Promise<this> {
    await this.#transport.start({
      message: (_decoded, text) => this.#heard?.(text),
      fault: () => undefined,
      closed: () => undefined,
    });
    const clientInfo = { name: 'wire', version: '1' };
    const params = { protocolVersion: REVISION, capabilities: {}, clientInfo };
    await this.say(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    return this;
  }

  say(text: string): Promise<string> {
    return new Promise((resolve) => {
      this.#heard = resolve;
      void this.#transport.send(text);
    });
  }
}

const passing = new WireClient([]);
const looking = new WireClient([(_call, next) => next()]);
const ready = Promise.all([passing.open(), looking.open()]);
afterAll(() => Promise.all([passing.built.close({ drain: 0 }), looking.built.close({ drain: 0 })]));

/** What is left of it when it is decoded and encoded: no infinity, no minus zero. */
function reencoded(text: string): unknown {
  return JSON.parse(JSON.stringify(JSON.parse(text)));
}

/** Each hop has ids of its own. */
function withoutId(text: string | undefined): unknown {
  const value = reencoded(text ?? '{}');
  return isRecord(value) ? { ...value, id: undefined } : value;
}

/** Arguments go as they came, keys that come twice included; names must be plain, or nobody is called. */
const call = fc
  .tuple(objectText, space, fc.constantFrom('tools/call', 'prompts/get'), fc.boolean())
  .map(([args, gap, method, first]) => {
    const name = '"name":"echo"';
    const params = first ? `${name},${gap}"arguments":${args}` : `"arguments" :${args}${gap},${name}`;
    return `{"jsonrpc":"2.0",${gap}"id":77,"method":"${method}","params":${gap}{${params}}${gap}}`;
  });

/** What such results have, and more. Not the words of other revisions, which are taken out by who looks. */
const result = objectText
  .filter((text) => !/"(ttlMs|cacheScope|structuredContent|content|messages)"/.test(text))
  .map((text) => {
    const more = text === '{}' ? '' : `,${text.slice(1, -1)}`;
    return `{"content":[{"type":"text","text":"hi"}],"messages":[]${more}}`;
  });

describe('a chain that passes messages on', () => {
  test('hands on what one that decodes them hands on, in both directions', async () => {
    await ready;
    await fc.assert(
      fc.asyncProperty(call, result, async (request, answer) => {
        const [one, other] = [passing, looking].map(async (client) => {
          client.server.result = answer;
          client.server.received.length = 0;
          const response = await client.say(request);
          return { response: reencoded(response), sent: withoutId(client.server.received[0]) };
        });
        expect(await one).toEqual(await other);
      }),
      { numRuns: 400 },
    );
  }, 60_000);

  test('does not decode what it need not: numbers keep every digit, and spelling stays', async () => {
    await ready;
    passing.server.received.length = 0;
    passing.server.result = '{"content":[ ],"a":12345678901234567890, "b":"\\u0041"}';
    const params = '{"name":"echo", "arguments":{"n":0.10000000000000000001}}';
    const response = await passing.say(`{"id":"x","jsonrpc":"2.0","method":"tools/call","params":${params}}`);
    expect(response).toBe(`{"jsonrpc":"2.0","id":"x","result":${passing.server.result}}`);
    expect(passing.server.received[0]).toContain(`"params":${params}`);
  });

  test('writes a result on one line that came on several: events are made of lines', async () => {
    await ready;
    passing.server.received.length = 0;
    passing.server.result = '{\n  "content": [],\r\n  "a": 1\n}';
    const params = '{\n  "name": "echo",\r\n  "arguments": {}\n}';
    const response = await passing.say(`{"id":1,\n"jsonrpc":"2.0","method":"tools/call","params":${params}}`);
    expect(JSON.parse(response)).toMatchObject({ result: { content: [], a: 1 } });
    expect(response).not.toMatch(/[\r\n]/);
    expect(passing.server.received[0]).toContain('"name": "echo"');
  });

  test('decodes a call that could be read in two ways', async () => {
    await ready;
    passing.server.received.length = 0;
    passing.server.result = '{"content":[]}';
    await passing.say('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one","name":"two"}}');
    expect(passing.server.received[0]).toContain('"params":{"name":"two"}');
  });

  test('keeps a line a line, whatever white space a result has', async () => {
    await ready;
    passing.server.result = '{"content":[],\n"a":\r\n1}';
    const response = await passing.say(
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one"}}',
    );
    expect(response).not.toMatch(/[\r\n]/);
    expect(JSON.parse(response)).toEqual({ jsonrpc: '2.0', id: 2, result: { content: [], a: 1 } });
  });
});
