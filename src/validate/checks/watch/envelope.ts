/** Rules for every message, judged on everything that a server sent. */

import { isRecord, isRequestId } from '../../../jsonrpc/message.js';
import {
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  RESOURCE_NOT_FOUND,
  UNSUPPORTED_VERSION,
  URL_ELICITATION_REQUIRED,
} from '../../../protocol/index.js';
import { type Check, check, OVER_STDIO } from '../../check.js';
import { sortTraffic } from '../../traffic.js';

const DEFINED_CODES: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
]);
const GONE_CODES: ReadonlySet<number> = new Set([RESOURCE_NOT_FOUND, URL_ELICITATION_REQUIRED]);

export const envelopeWatches: readonly Check[] = [
  check('001', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      const ok = message.jsonrpc === '2.0';
      probe.judge('001', ok, 'A message without jsonrpc "2.0"', '"jsonrpc": "2.0"', { received: entry.text });
    }
  }),
  check('002 003', (probe) => {
    const seen = new Set<string>();
    for (const { message, entry } of sortTraffic(probe.recorder.entries).requests) {
      const readable = isRequestId(message.id);
      probe.judge(
        '002',
        readable,
        'A request with an id that is neither string nor integer',
        'a string or an integer',
        {
          received: entry.text,
        },
      );
      const key = `${entry.connection} ${JSON.stringify(message.id)}`;
      probe.judge('003', !seen.has(key), 'A request id was used twice', 'a new id for every request', {
        received: entry.text,
      });
      seen.add(key);
    }
  }),
  check('005', (probe) => {
    const { strays, exchanges } = sortTraffic(probe.recorder.entries);
    if (exchanges.some(({ response }) => response !== undefined)) probe.pass('005');
    for (const entry of strays) {
      probe.fail('005', 'A response that answers no request, or answers it a second time', {
        received: entry.text,
        expected: 'one response for each request, with its id',
      });
    }
  }),
  check('006', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      if (typeof message.method === 'string') continue;
      const one = 'result' in message !== 'error' in message;
      const object = !('result' in message) || isRecord(message.result);
      probe.judge(
        '006',
        one && object,
        'A response without exactly one of result and error',
        'a result object or an error',
        {
          received: entry.text,
        },
      );
    }
  }),
  check('007', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      if (!('error' in message)) continue;
      const { error } = message;
      const ok = isRecord(error) && Number.isInteger(error.code) && typeof error.message === 'string';
      probe.judge(
        '007',
        ok,
        'An error without an integer code and a message',
        '{"code": integer, "message": text}',
        {
          received: entry.text,
        },
      );
    }
  }),
  check('021 022 023', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      const code = isRecord(message.error) ? message.error.code : undefined;
      if (typeof code !== 'number') continue;
      const evidence = { received: entry.text };
      const reserved = code <= -32020 && code >= -32099;
      probe.judge(
        '021',
        !reserved || DEFINED_CODES.has(code) || GONE_CODES.has(code),
        `Error code ${code} is not defined`,
        'a code that the specification defines',
        evidence,
      );
      probe.judge(
        '023',
        !GONE_CODES.has(code),
        `Error code ${code} does not exist in this revision`,
        'another code',
        evidence,
      );
      const own =
        code < -32000 && code >= -32768 && !reserved && !STANDARD_CODES.has(code) && !GONE_CODES.has(code);
      probe.judge(
        '022',
        !own,
        `Error code ${code} lies in the range reserved for JSON-RPC`,
        'a code outside -32768..-32000',
        evidence,
      );
    }
  }),
  check('025', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      if (!isRecord(message.result)) continue;
      const ok = typeof message.result.resultType === 'string';
      probe.judge('025', ok, 'A result without resultType', '"resultType": "complete" (or another)', {
        received: entry.text,
      });
    }
  }),
  check('028', (probe) => {
    const { requests, received } = sortTraffic(probe.recorder.entries);
    if (received.length > 0) probe.pass('028');
    for (const { method, entry } of requests) {
      probe.fail('028', `The server sent the request ${method}`, {
        received: entry.text,
        expected: 'an input_required result instead of a request',
      });
    }
  }),
  check(
    '030 031',
    (probe) => {
      const { noise, received } = sortTraffic(probe.recorder.entries);
      if (received.length > 0) probe.pass('030', '031');
      for (const entry of noise) {
        const torn = /^\s*[{[]/.test(entry.text) || /[}\]]\s*$/.test(entry.text);
        probe.fail(
          torn ? '030' : '031',
          torn ? 'A message was not on one line' : 'A line on stdout that is no message',
          {
            received: entry.text,
            expected: 'one complete JSON message per line, logs on stderr',
          },
        );
      }
    },
    OVER_STDIO,
  ),
];

const STANDARD_CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603]);
