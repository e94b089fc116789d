/** What can go wrong with a store on another machine. */

import { McpError } from '../protocol/errors.js';

export type StoreErrorCode =
  /** The package that speaks to the store is not installed. */
  | 'store_package_missing'
  /** The store could not be reached, or did not answer in time. */
  | 'store_unavailable'
  /** Too much waits for the store already. */
  | 'store_busy'
  /** There is no room for what should be kept. */
  | 'store_full'
  /** The store answered with an error. */
  | 'store_failed'
  | 'lock_timeout';

export class StoreError extends McpError<StoreErrorCode> {}
