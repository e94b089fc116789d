/** Roots as test files write them: a path, a file URI, or an object. */

import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isRecord } from '../../jsonrpc/message.js';
import type { Root } from '../../protocol/model/roots.js';

export function toRoot(value: unknown): Root {
  if (typeof value === 'string') {
    if (value.startsWith('file://')) return { uri: value, name: basename(value) };
    const path = resolve(value);
    return { uri: pathToFileURL(path).href, name: basename(path) || path };
  }
  if (isRecord(value) && typeof value.uri === 'string')
    return { uri: value.uri, ...(typeof value.name === 'string' ? { name: value.name } : {}) };
  throw new TypeError('A root is a path, a file:// URI, or { uri, name }');
}
