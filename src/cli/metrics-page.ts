/** `/metrics` of a chain that counts: what its middleware has counted so far. */

import type { ChainParts } from '../chain/index.js';
import type { Metrics } from '../middleware/index.js';
import type { HttpServeOptions } from '../server/index.js';

const PATH = '/metrics';

/** Looks at the middleware anew for each visit: that of a file may be other middleware by then. */
export function metricsPage(serving: unknown): Pick<HttpServeOptions, 'pages'> {
  if (!hasParts(serving)) return {};
  return { pages: { [PATH]: () => serving.parts.layers.filter(isMetrics).map(textOf).join('') } };
}

function textOf(metrics: Metrics): string {
  return metrics.text();
}

function isMetrics(layer: unknown): layer is Metrics {
  return typeof layer === 'object' && layer !== null && 'text' in layer && typeof layer.text === 'function';
}

/** By what it has: a module may have a copy of this package of its own. */
function hasParts(serving: unknown): serving is { readonly parts: ChainParts } {
  if (typeof serving !== 'object' || serving === null || !('parts' in serving)) return false;
  const { parts } = serving;
  return typeof parts === 'object' && parts !== null && 'layers' in parts && Array.isArray(parts.layers);
}
