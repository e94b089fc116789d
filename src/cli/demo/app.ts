/** An app: a chart that hosts show beside the result of a tool, and a tool that only the chart calls. */

import type { Server } from '../../server/index.js';

const VALUES = {
  type: 'object',
  properties: { values: { type: 'array', items: { type: 'number', minimum: 0 }, maxItems: 20 } },
  required: ['values'],
} as const;

export function addApp(server: Server): void {
  server.app('chart', { html: PAGE, title: 'Chart', description: 'Numbers as bars.', prefersBorder: true });
  server.tool(
    'draw_chart',
    {
      title: 'Draw a chart',
      description: 'Draws numbers as bars, in clients that can show apps.',
      app: 'chart',
      input: {
        type: 'object',
        properties: {
          values: {
            type: 'array',
            items: { type: 'number', minimum: 0 },
            maxItems: 20,
            default: [3, 1, 4, 1, 5],
            description: 'The height of each bar.',
          },
        },
      },
      output: VALUES,
      annotations: { readOnlyHint: true },
    },
    ({ values }) => ({ values: values ?? [3, 1, 4, 1, 5] }),
  );
  server.tool(
    'random_values',
    {
      title: 'Random values',
      description: 'Other numbers for the chart.',
      app: 'chart',
      visibility: ['app'],
      output: VALUES,
      annotations: { readOnlyHint: true },
    },
    () => ({ values: Array.from({ length: 6 }, () => Math.ceil(Math.random() * 9)) }),
  );
}

/** Speaks with its host by messages (MCP Apps): greets it, draws what it is sent, and calls a tool when asked to. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Chart</title>
<style>
  body { font: 14px system-ui, sans-serif; margin: 12px; color: #1b2430; background: transparent }
  :root[data-theme=dark] body { color: #e6ebf2 }
  svg { display: block; width: 100%; height: 120px }
  rect { fill: #2f6feb }
  :root[data-theme=dark] rect { fill: #6ea8fe }
  button { font: inherit; margin-top: 8px; padding: 4px 10px }
  p { margin: 6px 0 0 }
</style>
<svg role="img" aria-label="No values yet"></svg>
<button type="button">Other values</button>
<p role="status"></p>
<script>
  const pending = new Map();
  let last = 0;
  const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const request = (method, params) => new Promise((resolve, reject) => {
    last += 1;
    pending.set(last, { resolve, reject });
    post({ id: last, method, params });
  });
  const say = (text) => { document.querySelector('p').textContent = text; };
  function draw(values) {
    const svg = document.querySelector('svg');
    const most = Math.max(1, ...values);
    const step = 100 / Math.max(1, values.length);
    svg.setAttribute('viewBox', '0 0 100 50');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('aria-label', 'Bars: ' + values.join(', '));
    svg.replaceChildren(...values.map((value, index) => {
      const bar = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      const height = (value / most) * 48;
      for (const [name, number] of Object.entries({ x: index * step + 1, y: 50 - height, width: step - 2, height }))
        bar.setAttribute(name, String(number));
      return bar;
    }));
    post({ method: 'ui/notifications/size-changed', params: { height: document.documentElement.scrollHeight } });
  }
  const themed = (context) => {
    if (context && context.theme) document.documentElement.dataset.theme = context.theme;
  };
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || !data || data.jsonrpc !== '2.0') return;
    if (data.method === undefined) {
      const waiting = pending.get(data.id);
      pending.delete(data.id);
      if (waiting) data.error ? waiting.reject(new Error(data.error.message)) : waiting.resolve(data.result);
    } else if (data.method === 'ui/notifications/tool-result') draw(data.params.structuredContent?.values ?? []);
    else if (data.method === 'ui/notifications/tool-cancelled') say('The call was cancelled');
    else if (data.method === 'ui/notifications/host-context-changed') themed(data.params);
    else if (data.id !== undefined) post({ id: data.id, result: {} });
  });
  document.querySelector('button').addEventListener('click', async () => {
    say('');
    try {
      const result = await request('tools/call', { name: 'random_values', arguments: {} });
      if (result.isError) say('The tool failed');
      else draw(result.structuredContent.values);
    } catch (error) {
      say(error.message);
    }
  });
  const params = {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'chart', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline'] },
  };
  request('ui/initialize', params).then(({ hostContext }) => {
    themed(hostContext);
    post({ method: 'ui/notifications/initialized', params: {} });
  });
</script>
</html>
`;
