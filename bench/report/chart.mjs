/** Bars as SVG: for each case, every contender's share of the limit. It reads on light and dark pages. */

/** @typedef {{ title: string, target: number | undefined, bars: { title: string, share: number, ours: boolean }[] }} Group */

const WIDTH = 860;
const LABEL = 190;
const VALUE = 60;
const BAR = 18;
const GAP = 5;
const HEAD = 30;
const MARGIN = 16;

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.title { font-weight: 600; }
.bar { fill: #9aa4b2; }
.ours { fill: #2563eb; }
.base { stroke: #9aa4b2; }
.target { stroke: #d97706; stroke-width: 2; stroke-dasharray: 4 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .bar { fill: #6b7684; }
  .ours { fill: #58a6ff; }
}`;

/**
 * @param {readonly Group[]} groups
 * @returns {string}
 */
export function renderChart(groups) {
  const height = groups.reduce((sum, group) => sum + heightOf(group), MARGIN);
  let top = MARGIN;
  const drawn = groups.map((group) => {
    const text = renderGroup(group, top);
    top += heightOf(group);
    return text;
  });
  const title = 'Share of the bare limit of the machine, by contender';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<style>${STYLE}\n</style>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {Group} group */
function heightOf({ bars }) {
  return HEAD + bars.length * (BAR + GAP) + MARGIN;
}

/**
 * @param {Group} group
 * @param {number} top
 */
function renderGroup({ title, target, bars }, top) {
  const full = WIDTH - LABEL - VALUE;
  // Who is faster than the limit is drawn as long as it; the number tells.
  const width = (/** @type {number} */ share) => Math.max(Math.min(share, 1) * full, 1).toFixed(1);
  const rows = bars.map(({ title: name, share, ours }, index) => {
    const y = top + HEAD + index * (BAR + GAP);
    return [
      `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
      `<rect class="${ours ? 'bar ours' : 'bar'}" x="${LABEL}" y="${y}" width="${width(share)}" height="${BAR}" rx="2"/>`,
      `<text x="${LABEL + Number(width(share)) + 6}" y="${y + 13}">${share.toFixed(2)}</text>`,
    ].join('\n');
  });
  const bottom = top + HEAD + bars.length * (BAR + GAP);
  const line = (/** @type {string} */ kind, /** @type {number} */ x) =>
    `<line class="${kind}" x1="${x}" x2="${x}" y1="${top + HEAD - 4}" y2="${bottom}"/>`;
  return [
    `<text class="title" x="${MARGIN}" y="${top + 16}">${escaped(title)}</text>`,
    ...rows,
    line('base', LABEL),
    ...(target === undefined ? [] : [line('target', LABEL + target * full)]),
  ].join('\n');
}

/** @param {string} text */
function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
