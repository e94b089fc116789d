/** Rules for every message, judged on everything that a server sent. */

import { isRecord, isRequestId, type JsonObject } from '../../../jsonrpc/message.js';
import {
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  RESOURCE_NOT_FOUND,
  UNSUPPORTED_VERSION,
  URL_ELICITATION_REQUIRED,
} from '../../../protocol/errors.js';
import { META_PROTOCOL_VERSION } from '../../../protocol/model/meta.js';
import { type Check, OVER_STDIO, observing, watch } from '../../check.js';
import type { Probe } from '../../probe.js';
import { sortTraffic } from '../../traffic.js';
import { parseJson, type RecordedEntry } from '../../wire/recorder.js';

const DEFINED_CODES: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
]);
const GONE_CODES: ReadonlySet<number> = new Set([RESOURCE_NOT_FOUND, URL_ELICITATION_REQUIRED]);

export const envelopeWatches: readonly Check[] = [
  // A crash is reported when it happens; here only that none did.
  watch('407', (probe) => {
    if (sortTraffic(probe.recorder.entries).exchanges.length > 0) probe.pass('407');
  }),
  watch(
    '033',
    (probe) => {
      for (const { direction, text, kind } of probe.recorder.entries) {
        if (direction !== 'received' || kind === 'end' || !text.includes('\ufffd')) continue;
        probe.fail('033', 'Output that is no UTF-8', {
          received: text.slice(0, 500),
          expected: 'UTF-8',
        });
      }
    },
    OVER_STDIO,
  ),
  watch(
    '031 033 408',
    (probe) => {
      for (const { direction, text, kind } of probe.recorder.entries) {
        if (direction !== 'received' || kind === 'end') continue;
        const shown = { received: JSON.stringify(text.slice(0, 300)), expected: 'JSON and a newline' };
        if (text.startsWith('\ufeff'))
          for (const id of ['031', '033']) probe.fail(id, 'A line begins with a byte order mark', shown);
        probe.judge(
          '408',
          !text.endsWith('\r'),
          'A line ends with a carriage return',
          'a newline alone',
          shown,
        );
      }
    },
    OVER_STDIO,
  ),
  // Every answer to a request that could be read carries its id.
  watch('013 249', (probe) => {
    if (probe.transport !== 'http') return;
    for (const { sent, answer, entry } of answeredPosts(probe.recorder.entries)) {
      if (!('error' in answer)) continue;
      const ok = answer.id === sent.id;
      const shown = { sent: JSON.stringify(sent).slice(0, 500), received: entry.text };
      const expected = `"id": ${JSON.stringify(sent.id)}`;
      probe.judge('249', ok, 'An error does not repeat the id of the request', expected, shown);
      probe.judge('013', ok, 'An error without the id that could be read', expected, shown);
    }
  }),
  watch('001', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      if (probe.transport === 'stdio' && isForeign(message)) continue;
      const ok = message.jsonrpc === '2.0';
      probe.judge('001', ok, 'A message without jsonrpc "2.0"', '"jsonrpc": "2.0"', { received: entry.text });
    }
  }),
  watch('002 003', (probe) => {
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
  watch('005', (probe) => {
    const { strays, exchanges } = sortTraffic(probe.recorder.entries);
    if (exchanges.some(({ response }) => response !== undefined)) probe.pass('005');
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      // An error may have no id where that of the request could not be read; a result always answers a request.
      if (!('result' in message) || 'method' in message || isRequestId(message.id)) continue;
      probe.fail('005', 'A result without the id of a request', {
        received: entry.text,
        expected: 'the id of the request',
      });
    }
    for (const entry of strays) {
      probe.fail('005', 'A response that answers no request, or answers it a second time', {
        received: entry.text,
        expected: 'one response for each request, with its id',
      });
    }
  }),
  observing(
    watch('006', (probe) => {
      for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
        if (typeof message.method === 'string') continue;
        if (probe.transport === 'stdio' && isForeign(message)) continue;
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
  ),
  watch('007', (probe) => {
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
  watch('021 022 023', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      const code = isRecord(message.error) ? message.error.code : undefined;
      if (typeof code !== 'number') continue;
      const evidence = { received: entry.text };
      const reserved = code <= -32020 && code >= -32099;
      probe.judge(
        '021',
        !reserved || DEFINED_CODES.has(code) || GONE_CODES.has(code) || isEventCode(probe, code),
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
  watch('025', (probe) => {
    for (const { params, request, result, response } of sortTraffic(probe.recorder.entries).exchanges) {
      // Without an envelope a request is one of the other era, where a server has both.
      const modern = isRecord(params._meta) && META_PROTOCOL_VERSION in params._meta;
      if (result === undefined || response === undefined || !modern || request.hostile === true) continue;
      const message = { result };
      const entry = response;
      const { resultType } = message.result;
      // Extensions may add kinds of results.
      const known = RESULT_TYPES.has(resultType) || probe.declares('extensions');
      const ok = typeof resultType === 'string' && known;
      const what = resultType === undefined ? 'without resultType' : `of type ${JSON.stringify(resultType)}`;
      probe.judge('025', ok, `A result ${what}`, '"resultType": "complete" (or another)', {
        received: entry.text,
      });
    }
  }),
  watch('028', (probe) => {
    const { requests, received } = sortTraffic(probe.recorder.entries);
    if (received.length > 0) probe.pass('028');
    for (const { method, entry } of requests) {
      probe.fail('028', `The server sent the request ${method}`, {
        received: entry.text,
        expected: 'an input_required result instead of a request',
      });
    }
  }),
  watch(
    '030 031',
    (probe) => {
      const { noise, received } = sortTraffic(probe.recorder.entries);
      if (received.length > 0) probe.pass('030', '031');
      for (const { message, entry } of received) {
        if (!isForeign(message)) continue;
        probe.fail('031', 'JSON on stdout that is no message', {
          received: entry.text,
          expected: 'nothing but messages, logs on stderr',
        });
      }
      for (const entry of strangeValues(probe.recorder.entries)) {
        probe.fail('031', 'JSON on stdout that is no message', {
          received: entry.text,
          expected: 'nothing but messages, logs on stderr',
        });
      }
      for (const entry of noise) {
        const torn = !isPrefixed(entry.text) && (BEGINS_JSON.test(entry.text) || ENDS_JSON.test(entry.text));
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

/** A whole message, with something before it on its line. */
function isPrefixed(text: string): boolean {
  const start = text.indexOf('{"');
  return start > 0 && isRecord(parseJson(text.slice(start)));
}

/** Parts of a message; a log line in brackets is none. */
const BEGINS_JSON = /^\s*(\{\s*("|\}|$)|\[\s*([{["\]]|$))/;
const ENDS_JSON = /^\s*[}\]]+,?\s*$|["\d}\]el]\s*[}\]]\s*$/;

const RESULT_TYPES: ReadonlySet<unknown> = new Set(['complete', 'input_required', 'task']);

interface AnsweredPost {
  readonly sent: JsonObject;
  readonly answer: JsonObject;
  readonly entry: RecordedEntry;
}

/** Other statuses refuse the HTTP request, whose body nobody may have read. */
const LOOKED_AT = /^HTTP (200|400)\b/;

/** Responses that came for a POST of one readable request. */
function answeredPosts(entries: readonly RecordedEntry[]): readonly AnsweredPost[] {
  const posts = new Map<number, JsonObject>();
  const looked = new Set<number>();
  const answered: AnsweredPost[] = [];
  for (const entry of entries) {
    const { stream, kind, direction, value, text } = entry;
    if (stream === undefined) continue;
    if (kind === 'http' && direction === 'received' && LOOKED_AT.test(text)) looked.add(stream);
    if (kind !== 'message' || !isRecord(value)) continue;
    if (direction === 'sent') {
      const whole = value.jsonrpc === '2.0' && isRequestId(value.id) && typeof value.method === 'string';
      if (whole) posts.set(stream, value);
      continue;
    }
    const sent = looked.has(stream) ? posts.get(stream) : undefined;
    if (sent !== undefined && !('method' in value)) answered.push({ sent, answer: value, entry });
  }
  return answered;
}

/** JSON that has nothing of a message: a log line, for example. */
function isForeign(message: JsonObject): boolean {
  return !['jsonrpc', 'method', 'result', 'error', 'id'].some((field) => field in message);
}

/** Lines that are JSON and neither an object nor a batch. */
function strangeValues(entries: readonly RecordedEntry[]): readonly RecordedEntry[] {
  return entries.filter(
    ({ direction, kind, value }) =>
      direction === 'received' && kind === 'message' && !isRecord(value) && !Array.isArray(value),
  );
}

/** Codes of the events extension, where it is declared. */
function isEventCode(probe: Probe, code: number): boolean {
  const { extensions } = probe.catalogue.capabilities;
  const declared = isRecord(extensions) && 'io.modelcontextprotocol/events' in extensions;
  return declared && code <= -32023 && code >= -32027;
}

const STANDARD_CODES: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32603]);
