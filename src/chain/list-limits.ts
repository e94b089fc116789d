/** How much the servers behind a chain may list. */

import { given, type Optional } from '../protocol/given.js';
import type { InNumbers } from '../protocol/in-numbers.js';
import { byteCount, type Size } from '../protocol/size.js';

/** What one server may list, and what all lists that are being merged may take. */
export interface ListLimits {
  /** Pages of one list. Default: 1,000. */
  readonly pages: number;
  /** Entries of one list. Default: 100,000. */
  readonly entries: number;
  /**
   * The text of one list, counted in characters: clients have limits of their own, and one server must not make lists
   * useless to all. Default: 8 MB.
   */
  readonly textBytes: Size;
  /** What one list takes in memory. Default: 64 MB. */
  readonly bytes: Size;
  /** The same for all lists that are being merged at the same time. Default: 256 MB. */
  readonly totalBytes: Size;
}

export type ListNumbers = InNumbers<ListLimits>;

export const DEFAULT_LIST_LIMITS: ListNumbers = {
  pages: 1000,
  entries: 100_000,
  textBytes: 8 * 1024 * 1024,
  bytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

export function listNumbers(options: Optional<ListLimits>): ListNumbers {
  const limits = { ...DEFAULT_LIST_LIMITS, ...given(options) };
  return {
    ...limits,
    textBytes: byteCount(limits.textBytes),
    bytes: byteCount(limits.bytes),
    totalBytes: byteCount(limits.totalBytes),
  };
}
