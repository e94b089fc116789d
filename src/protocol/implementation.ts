import { isRecord } from '../jsonrpc/message.js';
import type { Implementation } from './model/base.js';

/** What a peer reports about itself; undefined for what has no name. Some leave out the version. */
export function parseImplementation(value: unknown): Implementation | undefined {
  if (!isRecord(value) || typeof value.name !== 'string') return undefined;
  return { ...value, name: value.name, version: typeof value.version === 'string' ? value.version : '' };
}
