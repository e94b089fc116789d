/** Middleware by the names that configuration files use. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { audit } from '../middleware/audit.js';
import { cache } from '../middleware/cache.js';
import { circuitBreaker } from '../middleware/circuit-breaker.js';
import type { Middleware } from '../middleware/compose.js';
import { concurrency } from '../middleware/concurrency.js';
import { faults } from '../middleware/faults.js';
import { fit as fitTo } from '../middleware/fit/fit.js';
import { PROVIDERS } from '../middleware/fit/provider-rules.js';
import { hide } from '../middleware/hide.js';
import type { Layer } from '../middleware/layer.js';
import { log } from '../middleware/log.js';
import { metrics } from '../middleware/metrics.js';
import { rateLimit } from '../middleware/rate-limit.js';
import { record, replay } from '../middleware/record.js';
import { redact } from '../middleware/redact.js';
import { rename } from '../middleware/rename.js';
import { responseSize } from '../middleware/response-size.js';
import { retry } from '../middleware/retry.js';
import { rewrite } from '../middleware/rewrite.js';
import { timeout } from '../middleware/timeout.js';
import { toolSearch } from '../middleware/tool-search.js';
import type { Size } from '../protocol/size.js';
import { ConfigError, type MiddlewareConfig, similarKey } from './config.js';

/** Files that middleware reads and writes; the caller knows where they are. */
export interface ConfiguredFiles {
  /** Takes lines; `rotate` in bytes and old files to keep. */
  append(file: string, rotate?: { readonly maxBytes: Size; readonly keep: number }): (line: string) => void;
  lines(file: string): Iterable<string>;
}

const DEFAULT_ROTATION = { maxBytes: 10 * 1024 * 1024, keep: 5 };

export async function createLayer(
  { name, options, place }: MiddlewareConfig,
  files: ConfiguredFiles,
): Promise<Layer | Middleware> {
  // The schema has been checked; what is left is to say so to the compiler.
  const given: JsonObject = isRecord(options) ? options : {};
  try {
    return await create(name, given, options, files);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${place}: ${name}: ${reason}`, { cause: error });
  }
}

function create(
  name: string,
  given: JsonObject,
  options: unknown,
  files: ConfiguredFiles,
): Layer | Middleware {
  const file = typeof given.file === 'string' ? given.file : '';
  switch (name) {
    case 'log':
      return log();
    case 'timeout':
      return timeout(scalar(options, '30s'));
    case 'retry':
      return retry(given);
    case 'rateLimit':
      return rateLimit(given);
    case 'concurrency':
      return concurrency({ ...given, max: Number(given.max) });
    case 'cache':
      return cache(given);
    case 'circuitBreaker':
      return circuitBreaker(given);
    case 'hide':
      return Object.fromEntries(Object.entries(given).map(([kind, globs]) => [kind, hide(...list(globs))]));
    case 'rename':
      return Object.fromEntries(Object.entries(given).map(([kind, names]) => [kind, rename(texts(names))]));
    case 'rewrite':
      return { tools: rewrite(Object.fromEntries(Object.entries(given).filter(isRule))) };
    case 'redact':
      return redact({
        ...(Array.isArray(given.patterns)
          ? { patterns: list(given.patterns).map((text) => new RegExp(text, 'g')) }
          : {}),
        ...(typeof given.replacement === 'string' ? { replacement: given.replacement } : {}),
      });
    case 'responseSize':
      return responseSize(scalar(options, '1MB'));
    case 'audit': {
      const { maxBytes = DEFAULT_ROTATION.maxBytes, keep = DEFAULT_ROTATION.keep } = given;
      const write = files.append(file, {
        maxBytes: scalar(maxBytes, DEFAULT_ROTATION.maxBytes),
        keep: Number(keep),
      });
      return audit({ write, withArguments: given.withArguments === true });
    }
    case 'record':
      return record({ write: files.append(file) });
    case 'replay':
      return replay(files.lines(file));
    case 'faults':
      return faults(given);
    case 'fit': {
      const provider = PROVIDERS.find((known) => known === options);
      if (provider === undefined) throw new TypeError(`needs one of: ${PROVIDERS.join(', ')}`);
      return fitTo(provider);
    }
    case 'metrics':
      return metrics();
    case 'telemetry':
      // Files that name it go on working.
      console.warn(TELEMETRY_IS_AUTOMATIC);
      return {};
    case 'toolSearch':
      return toolSearch(given);
    default:
      throw new TypeError(`there is no middleware of this name${similarKey(name)}`);
  }
}

const TELEMETRY_IS_AUTOMATIC =
  'plumb: the middleware "telemetry" has no effect and can be removed: spans and metrics are automatic where ' +
  '@opentelemetry/api is installed';

function scalar(options: unknown, fallback: string | number): string | number {
  return typeof options === 'string' || typeof options === 'number' ? options : fallback;
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [String(value)];
}

function texts(value: unknown): Record<string, string> {
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]))
    : {};
}

function isRule(entry: [string, unknown]): entry is [string, JsonObject] {
  return isRecord(entry[1]);
}
