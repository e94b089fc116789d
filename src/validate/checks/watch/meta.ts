/** `_meta`: how keys are named, and what the stateless era puts there. */

import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import {
  META_BAGGAGE,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_MODEL_IMMEDIATE_RESPONSE,
  META_PROTOCOL_VERSION,
  META_RELATED_TASK,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
  META_TRACEPARENT,
  META_TRACESTATE,
} from '../../../protocol/model/meta.js';
import { type Check, watch } from '../../check.js';
import { metasOf, sortTraffic } from '../../traffic.js';

const KNOWN_KEYS: ReadonlySet<string> = new Set([
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_MODEL_IMMEDIATE_RESPONSE,
  META_PROTOCOL_VERSION,
  META_RELATED_TASK,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
]);

const LABEL = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const KEY = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*/)?(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?$`);

export function isMetaKey(key: string): boolean {
  return KEY.test(key);
}

/** Whether the prefix belongs to MCP: its second label is `modelcontextprotocol` or `mcp`. */
export function isReservedKey(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash === -1) return false;
  const second = key.slice(0, slash).split('.')[1];
  return second === 'modelcontextprotocol' || second === 'mcp';
}

/** The first revision with a grammar reserved every prefix in which one of these labels is followed by another. */
const FIRST_GRAMMAR = 3;

function wasReserved(key: string): boolean {
  const slash = key.indexOf('/');
  const labels = slash === -1 ? [] : key.slice(0, slash).split('.');
  return labels.slice(0, -1).some((label) => label === 'modelcontextprotocol' || label === 'mcp');
}

/** Each part between commas: as one expression for the whole list, the spaces around them cost their square. */
const TRACE: readonly (readonly [string, RegExp])[] = [
  [META_TRACEPARENT, /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/],
  [META_TRACESTATE, /^[^=,\s]+=[^,=]*$/],
  [META_BAGGAGE, /^[^=,;\s]+\s*=[^,;]*(?:;[^,]*)?$/],
];

function isListOf(format: RegExp, value: string): boolean {
  return value.split(',').every((part) => format.test(part.trim()));
}

/** The fields of a trace that are there, and whether each has its format. */
export function traceContext(meta: JsonObject): readonly (readonly [key: string, ok: boolean])[] {
  return TRACE.flatMap(([key, format]) => {
    const value = meta[key];
    return value === undefined ? [] : [[key, typeof value === 'string' && isListOf(format, value)] as const];
  });
}

export const metaWatches: readonly Check[] = [
  watch('019 020 080', (probe) => {
    for (const { message, entry } of sortTraffic(probe.recorder.entries).received) {
      for (const meta of metasOf(message)) {
        for (const key of Object.keys(meta)) {
          const received = entry.text;
          probe.judge('019', isMetaKey(key), `The _meta key "${key}" breaks the grammar`, 'prefix/name', {
            received,
          });
          const reserved = isReservedKey(key) || (probe.ordinal === FIRST_GRAMMAR && wasReserved(key));
          const own = reserved && !KNOWN_KEYS.has(key) && !key.startsWith('io.modelcontextprotocol/');
          const invented = key.startsWith('io.modelcontextprotocol/') && !KNOWN_KEYS.has(key);
          probe.judge(
            '020',
            !own && !invented,
            `The _meta key "${key}" uses a reserved prefix`,
            'a prefix of your own',
            { received },
          );
        }
        for (const [key, ok] of traceContext(meta))
          probe.judge('080', ok, `${key} is not in its W3C format`, 'the format of W3C Trace Context', {
            received: entry.text,
          });
      }
    }
    probe.skip('080', 'the server sends no trace context');
  }),
  watch('071', (probe) => {
    for (const { request, result, response } of sortTraffic(probe.recorder.entries).exchanges) {
      // What is sent without an envelope may be answered as in the other era.
      if (result === undefined || request.hostile === true) continue;
      const meta = isRecord(result._meta) ? result._meta : {};
      const info = meta[META_SERVER_INFO];
      const ok = isRecord(info) && typeof info.name === 'string' && typeof info.version === 'string';
      probe.judge(
        '071',
        ok,
        'A result without serverInfo in _meta',
        `_meta["${META_SERVER_INFO}"] with name and version`,
        {
          received: response?.text ?? '',
        },
      );
    }
  }),
  watch('391', (probe) => {
    const { extensions } = probe.catalogue.capabilities;
    if (!isRecord(extensions)) return probe.skip('391', 'the server declares no extensions');
    for (const name of Object.keys(extensions)) {
      probe.judge(
        '391',
        /^[^/]+\/.+/.test(name) && isMetaKey(name),
        `The extension "${name}" has no prefix`,
        'prefix/name',
        {
          received: JSON.stringify(extensions),
        },
      );
    }
  }),
];
