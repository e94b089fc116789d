/** `/metrics` of a chain: how the servers behind it are doing, and what its middleware has counted. */

import type { ChainParts } from '../../chain/chain.js';
import type { Health } from '../../chain/upstream.js';
import type { Metrics } from '../../middleware/metrics.js';
import type { HttpServeOptions } from '../../server/index.js';

const PATH = '/metrics';

/** Looks at the chain anew for each visit: after a reload it may have other servers and other middleware. */
export function metricsPage(serving: unknown): Pick<HttpServeOptions, 'pages'> {
  if (!isChain(serving)) return {};
  const page = (): string =>
    [healthText(serving.health), ...serving.parts.layers.filter(isMetrics).map((layer) => layer.text())].join(
      '',
    );
  return { pages: { [PATH]: page } };
}

function healthText(servers: readonly Health[]): string {
  const gauge = (name: string, help: string, value: (server: Health) => number): string =>
    [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} gauge`,
      ...servers.map((server) => `${name}{server="${escaped(server.name)}"} ${value(server)}`),
      '',
    ].join('\n');
  return (
    gauge('plumb_upstream_connections', 'Open connections to a server.', ({ connections }) => connections) +
    gauge('plumb_upstream_failing', 'Whether a server cannot be reached.', ({ state }) =>
      state === 'failing' ? 1 : 0,
    )
  );
}

function escaped(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function isMetrics(layer: unknown): layer is Metrics {
  return typeof layer === 'object' && layer !== null && 'text' in layer && typeof layer.text === 'function';
}

/** By what it has: a module may have a copy of this package of its own. */
function isChain(serving: unknown): serving is { readonly parts: ChainParts; readonly health: Health[] } {
  if (typeof serving !== 'object' || serving === null) return false;
  if (!('parts' in serving && 'health' in serving && Array.isArray(serving.health))) return false;
  const { parts } = serving;
  return typeof parts === 'object' && parts !== null && 'layers' in parts && Array.isArray(parts.layers);
}
