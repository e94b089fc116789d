import { describe, expect, it } from 'vitest';
import { createMemoryPair } from '../../../src/transports/memory.js';
import { recorder } from '../../support/recorded-messages.js';

const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' }) as const;

describe('memory pair', () => {
  it('carries messages both ways, in order, after the sender has gone on', async () => {
    const [left, right] = createMemoryPair();
    const atLeft = recorder();
    const atRight = recorder();
    await left.start(atLeft);
    await right.start(atRight);
    for (let id = 0; id < 5; id++) expect(left.send(ping(id))).toBeUndefined();
    right.send('{"jsonrpc":"2.0","id":9,"result":{}}');
    expect(atRight.messages).toEqual([]);
    await Promise.all([atLeft.until(1), atRight.until(5)]);
    expect(atRight.texts).toEqual([0, 1, 2, 3, 4].map((id) => JSON.stringify(ping(id))));
    expect(atLeft.messages).toEqual([{ kind: 'result', message: { jsonrpc: '2.0', id: 9, result: {} } }]);
  });

  it('passes copies, as a wire would', async () => {
    const [left, right] = createMemoryPair();
    const atRight = recorder();
    await left.start(recorder());
    await right.start(atRight);
    const params = { value: 1, absent: undefined };
    left.send({ jsonrpc: '2.0', method: 'x', params });
    params.value = 2;
    await atRight.until(1);
    expect(atRight.texts).toEqual(['{"jsonrpc":"2.0","method":"x","params":{"value":1}}']);
  });

  it('keeps what is sent before the other side starts, and delivers it only once start has resolved', async () => {
    const [left, right] = createMemoryPair();
    const atRight = recorder();
    await left.start(recorder());
    left.send(ping(1));
    await right.start(atRight);
    expect(atRight.messages).toEqual([]);
    await atRight.until(1);
  });

  it('delivers what does not decode as malformed', async () => {
    const [left, right] = createMemoryPair();
    const atRight = recorder();
    await left.start(recorder());
    await right.start(atRight);
    left.send('{nonsense');
    left.send('[1]');
    await atRight.until(2);
    expect(atRight.messages.map(({ kind }) => kind)).toEqual(['malformed', 'batch']);
  });

  it('ends both sides, the other one after everything that was sent', async () => {
    const [left, right] = createMemoryPair();
    const atLeft = recorder();
    const atRight = recorder();
    await left.start(atLeft);
    await right.start(atRight);
    left.send(ping(1));
    right.send(ping(2));
    await left.close();
    await left.close();
    expect(atLeft.reasons).toEqual([{ kind: 'local' }]);
    await atRight.closing;
    expect(atRight.messages).toHaveLength(1);
    expect(atRight.reasons).toEqual([{ kind: 'remote' }]);
    await right.close();
    expect(atLeft.messages).toEqual([]);
    expect([...atLeft.reasons, ...atRight.reasons]).toHaveLength(2);
  });

  it('stops in the middle of a batch when the receiver closes', async () => {
    const [left, right] = createMemoryPair();
    const atRight = recorder({ onMessage: () => void right.close() });
    await left.start(recorder());
    await right.start(atRight);
    left.send(ping(1));
    left.send(ping(2));
    await atRight.closing;
    expect(atRight.messages).toHaveLength(1);
  });

  it('refuses to send before start and after close, without bringing the process down', async () => {
    const [left, right] = createMemoryPair();
    await expect(left.send(ping(1))).rejects.toMatchObject({ code: 'connection_closed' });
    await left.start(recorder());
    await right.start(recorder());
    await right.close();
    left.send(ping(1));
    await expect(left.send(ping(2))).rejects.toMatchObject({ code: 'connection_closed' });
  });

  it('starts once', async () => {
    const [left] = createMemoryPair();
    await left.start(recorder());
    await expect(left.start(recorder())).rejects.toMatchObject({ code: 'already_started' });
  });
});
