/**
 * Finds out whether requests are traced. @opentelemetry/api is never required: it is loaded, and what uses it, when an SDK
 * has registered itself.
 */

import type { Telemetry } from './observe.js';
import type { OtelApi } from './opentelemetry.js';

/** Where the API keeps what an SDK has registered. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const PACKAGE = '@opentelemetry/api';

/** Through the given API, or the one that is registered in this process; undefined at once where there is neither. */
export function findTracer(api: OtelApi | undefined): Promise<Telemetry | undefined> | undefined {
  return api !== undefined || REGISTRY in globalThis ? loadTracer(api) : undefined;
}

async function loadTracer(given: OtelApi | undefined): Promise<Telemetry | undefined> {
  const api = given ?? (await registered());
  if (!isOtelApi(api)) return undefined;
  const { openTelemetry } = await import('./opentelemetry.js');
  return openTelemetry(api);
}

async function registered(): Promise<unknown> {
  try {
    return await import(/* @vite-ignore */ PACKAGE);
  } catch {
    // Registered by a copy of the API that we cannot reach.
    return undefined;
  }
}

function isOtelApi(api: unknown): api is OtelApi {
  if (typeof api !== 'object' || api === null) return false;
  return 'trace' in api && 'metrics' in api && 'context' in api && 'propagation' in api;
}
