/** Servers that cannot be reached over HTTP: how long it takes, and what is said. */

import dns from 'node:dns';
import { afterEach, expect, test, vi } from 'vitest';
import { createNodeRequester } from '../../../src/transports/http/client/node-requester.js';
import { type HttpCallEvents, networkError } from '../../../src/transports/http/client/requester.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a connection that is not made within 10 s is given up, and nothing was sent', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // A name that is never resolved looks like packets that a firewall drops.
  const lookup = vi.spyOn(dns, 'lookup').mockReturnValue(undefined);
  const requester = createNodeRequester(1_000);
  const failed = new Promise<Error>((resolve) => {
    const unexpected = (): void => resolve(new Error('there was an answer'));
    const events: HttpCallEvents = {
      head: () => 'none',
      text: unexpected,
      chunk: unexpected,
      end: unexpected,
      failed: resolve,
    };
    const url = new URL('http://dropped.example/mcp');
    requester.request({ method: 'POST', url, headers: [], body: '{}' }, events);
  });
  await vi.waitFor(() => expect(lookup).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await failed).toMatchObject({
    code: 'network',
    mayHaveActed: false,
    message:
      'http://dropped.example could not be reached: no connection within 10 s; check the URL and that the server runs',
  });
  requester.close();
});

test('a server without TLS behind an https URL is named as such', () => {
  const error = Object.assign(
    new Error(
      'write EPROTO 80EC:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../x.c:350:',
    ),
    { code: 'EPROTO' },
  );
  expect(networkError(new URL('https://127.0.0.1:3300/mcp'), error).message).toBe(
    'https://127.0.0.1:3300 could not be reached: it does not speak TLS; use http://127.0.0.1:3300, if you trust the network',
  );
});
