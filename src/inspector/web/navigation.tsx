import { Icon, type IconName } from './components/icon.js';
import { useCurrentServer } from './state/current-server.js';
import { useInspector } from './state/inspector.js';
import { PANELS, type PanelName, routeHash, useRoute } from './state/route.js';

export const PANEL_LABELS: Readonly<Record<PanelName, string>> = {
  servers: 'Servers',
  tools: 'Tools',
  resources: 'Resources',
  prompts: 'Prompts',
  asks: 'Asks',
  logs: 'Logs',
  timeline: 'Timeline',
  auth: 'Auth',
  comply: 'Comply',
};

const ICONS: Readonly<Record<PanelName, IconName>> = {
  servers: 'servers',
  tools: 'tools',
  resources: 'resources',
  prompts: 'prompts',
  asks: 'asks',
  logs: 'logs',
  timeline: 'timeline',
  auth: 'auth',
  comply: 'comply',
};

export function Navigation() {
  const { panel } = useRoute();
  const server = useCurrentServer();
  const asks = useInspector((state) => state.asks.length);
  return (
    <nav className="nav" aria-label="Panels">
      {PANELS.map((name) => (
        <a
          key={name}
          href={routeHash(name, server?.id)}
          aria-current={name === panel ? 'page' : undefined}
          title={PANEL_LABELS[name]}
        >
          <Icon name={ICONS[name]} size={18} />
          <span className="label">{PANEL_LABELS[name]}</span>
          {name === 'asks' && asks > 0 && (
            <span className="count badge" data-tone="accent">
              {asks}
              <span className="visually-hidden"> waiting</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}
