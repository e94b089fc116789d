/** Latency and errors of the last minutes, for each server and hop. */

import type { FigureSecond, Figures } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { formatDuration, plural } from '../../components/format.js';
import { useInspector } from '../../state/inspector.js';
import { useServerName } from '../../state/server-name.js';

const SECONDS = 120;
const WIDTH = 240;
const HEIGHT = 44;

export function FigureCharts({ server }: { server: string }) {
  const figures = useInspector((state) => state.figures);
  const shown = figures
    .filter((each) => server === '' || each.server === server)
    // The sides of a chain first: this is their view.
    .sort((a, b) => Number(a.hop === 'direct') - Number(b.hop === 'direct'));
  if (shown.length === 0) return null;
  return (
    <div className="charts">
      {shown.map((each) => (
        <FigureChart key={`${each.server} ${each.hop}`} figures={each} />
      ))}
    </div>
  );
}

function FigureChart({ figures }: { figures: Figures }) {
  const name = useServerName(figures.server);
  const end = figures.seconds.at(-1)?.at ?? 0;
  const seconds = figures.seconds.filter(({ at }) => at > end - SECONDS);
  const worst = Math.max(1, ...seconds.map(({ max }) => max));
  const busiest = Math.max(1, ...seconds.map(({ requests }) => requests));
  const x = (second: FigureSecond) => WIDTH - (end - second.at + 1) * (WIDTH / SECONDS);
  const line = seconds
    .map((second) => `${x(second)},${HEIGHT - (second.p50 / worst) * (HEIGHT - 4) - 2}`)
    .join(' ');
  const { latency } = figures;
  const summary = latency
    ? `p50 ${formatDuration(latency.p50)}, p95 ${formatDuration(latency.p95)}`
    : 'no answers yet';
  return (
    <figure className="chart">
      <figcaption className="row-wrap small">
        <strong className="ellipsis">{name}</strong>
        <Badge>{figures.hop}</Badge>
        <span className="soft">{plural(figures.requests, 'request')}</span>
        {figures.failures > 0 && <Badge tone="bad">{plural(figures.failures, 'failure')}</Badge>}
      </figcaption>
      <svg
        className="chart-plot"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Latency: ${summary}; ${plural(figures.failures, 'failure')}`}
      >
        {seconds.map((second) => (
          <g key={second.at}>
            <rect
              className="chart-requests"
              x={x(second)}
              width={WIDTH / SECONDS}
              y={HEIGHT - (second.requests / busiest) * HEIGHT}
              height={(second.requests / busiest) * HEIGHT}
            />
            <rect
              className="chart-failures"
              x={x(second)}
              width={WIDTH / SECONDS}
              y={HEIGHT - (second.failures / busiest) * HEIGHT}
              height={(second.failures / busiest) * HEIGHT}
            />
          </g>
        ))}
        <polyline className="chart-line" points={line} />
      </svg>
      <span className="small soft">{summary}</span>
    </figure>
  );
}
