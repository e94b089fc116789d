/** What bounds the requests to an HTTP endpoint. */

import { type Duration, milliseconds } from '../../../protocol/duration.js';
import { given } from '../../../protocol/given.js';
import type { InNumbers } from '../../../protocol/in-numbers.js';
import { assertOptionNames } from '../../../protocol/option-names.js';
import { byteCount, type Size } from '../../../protocol/size.js';

/** `http({ limits })`. Sizes are `'4MB'` or a number of bytes, durations `'30s'` or a number of milliseconds. */
export interface HttpLimitOptions {
  /** Bytes of a request body. Default: 4 MB. */
  readonly bodyBytes?: Size | undefined;
  /** Time for a client to send its whole request. Default: 30 s. */
  readonly requestTimeout?: Duration | undefined;
  /** How much may wait for a slow reader of a stream before it is cut off, counted in characters. Default: 16 MB. */
  readonly backlogBytes?: Size | undefined;
  /** Connections that a listener of ours holds open at once; more are closed. Default: 10,000. */
  readonly connections?: number | undefined;
}

/** The same in numbers, as endpoints work with it. */
export type HttpLimits = InNumbers<Required<HttpLimitOptions>>;

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 4 * 1024 * 1024,
  requestTimeout: 30_000,
  backlogBytes: 16 * 1024 * 1024,
  connections: 10_000,
};

export function httpLimits(options: HttpLimitOptions = {}): HttpLimits {
  assertOptionNames('http.limits', options, DEFAULT_HTTP_LIMITS);
  const limits = { ...DEFAULT_HTTP_LIMITS, ...given(options) };
  return {
    bodyBytes: byteCount(limits.bodyBytes),
    requestTimeout: milliseconds(limits.requestTimeout),
    backlogBytes: byteCount(limits.backlogBytes),
    connections: limits.connections,
  };
}
