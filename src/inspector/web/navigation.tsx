import { Fragment } from 'react';
import { formatCount } from './components/format.js';
import { Icon } from './components/icon.js';
import { PANEL_LIST, type PanelEntry } from './panels/panel-list.js';
import { useCurrentServer } from './state/current-server.js';
import { useInspector } from './state/inspector.js';
import { routeHash, useRoute } from './state/route.js';
import { useCatalogue } from './state/use-catalogue.js';

/** The panels that apply to the current server. */
function useShownPanels(): readonly PanelEntry[] {
  const server = useCurrentServer();
  return PANEL_LIST.filter(({ shown }) => shown?.(server) ?? true);
}

export function Navigation() {
  const panels = useShownPanels();
  return (
    <nav className="nav" aria-label="Panels">
      {panels.map((entry, index) => (
        <Fragment key={entry.name}>
          {index > 0 && panels[index - 1]?.group !== entry.group && <hr className="nav-rule" />}
          <NavigationLink entry={entry} />
        </Fragment>
      ))}
    </nav>
  );
}

function NavigationLink({ entry }: { entry: PanelEntry }) {
  const { name, label, icon, urgent = false } = entry;
  const { panel } = useRoute();
  const server = useCurrentServer();
  const catalogue = useCatalogue(server)?.catalogue;
  const count = useInspector((state) => entry.count?.({ state, server, catalogue }));
  return (
    <a
      href={routeHash(name, name === 'servers' ? undefined : server?.id)}
      aria-current={name === panel ? 'page' : undefined}
      title={label}
    >
      <Icon name={icon} size={18} />
      <span className="label">{label}</span>
      {count !== undefined && (
        <span className="count" data-urgent={urgent}>
          {formatCount(count)}
          {urgent && <span className="visually-hidden"> waiting</span>}
        </span>
      )}
    </a>
  );
}
