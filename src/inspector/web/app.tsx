/** The frame around the panels: brand, server, navigation, shortcuts, messages. */

import { type ComponentType, useEffect, useRef, useState } from 'react';
import { IconButton } from './components/button.js';
import { EmptyState } from './components/empty-state.js';
import { Icon } from './components/icon.js';
import { Notice } from './components/notice.js';
import { Navigation } from './navigation.js';
import { AsksPanel } from './panels/asks/asks-panel.js';
import { AuthPanel } from './panels/auth/auth-panel.js';
import { ComplyPanel } from './panels/comply/comply-panel.js';
import { LogsPanel } from './panels/logs/logs-panel.js';
import { PromptsPanel } from './panels/prompts/prompts-panel.js';
import { ResourcesPanel } from './panels/resources/resources-panel.js';
import { ServersPanel } from './panels/servers/servers-panel.js';
import { TimelinePanel } from './panels/timeline/timeline-panel.js';
import { ToolsPanel } from './panels/tools/tools-panel.js';
import { ServerPicker } from './server-picker.js';
import { ShortcutsDialog, useShortcuts } from './shortcuts.js';
import { useInspector } from './state/inspector.js';
import { type PanelName, routeHash, useRoute } from './state/route.js';
import { setTheme, type Theme, useTheme } from './state/theme.js';
import { useToasts } from './state/toasts.js';

const PANEL_VIEWS: Readonly<Record<PanelName, ComponentType>> = {
  servers: ServersPanel,
  tools: ToolsPanel,
  resources: ResourcesPanel,
  prompts: PromptsPanel,
  asks: AsksPanel,
  logs: LogsPanel,
  timeline: TimelinePanel,
  auth: AuthPanel,
  comply: ComplyPanel,
};

export function App() {
  const { panel } = useRoute();
  const link = useInspector((state) => state.link);
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useShortcuts(() => setHelp(true));
  useEffect(() => {
    document.title = `${panel[0]?.toUpperCase()}${panel.slice(1)} – Plumb inspector`;
  }, [panel]);
  const Panel = PANEL_VIEWS[panel];
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the panel
      </button>
      <header className="top">
        <a className="brand" href={routeHash('servers')} aria-label="Plumb inspector">
          <Icon name="plumb" size={20} />
          <span>Plumb inspector</span>
        </a>
        <ServerPicker />
        <div className="top-end">
          <ThemeButton />
          <IconButton icon="keyboard" label="Keyboard shortcuts" onClick={() => setHelp(true)} />
        </div>
      </header>
      <Navigation />
      <main className="main" id="main" tabIndex={-1} ref={main}>
        {link === 'connecting' && <EmptyState icon="plumb" title="Connecting to the inspector’s process" />}
        {link === 'refused' && <Refused />}
        {(link === 'live' || link === 'lost') && <Panel />}
      </main>
      {help && <ShortcutsDialog onClose={() => setHelp(false)} />}
      <Toasts lost={link === 'lost'} />
    </div>
  );
}

function Refused() {
  return (
    <EmptyState icon="auth" title="This page is not let in">
      Its address has no valid token, or the process was started again since. Open the address that
      <code> plumb inspect </code> printed last.
    </EmptyState>
  );
}

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICONS = { system: 'half', light: 'sun', dark: 'moon' } as const;

function ThemeButton() {
  const theme = useTheme();
  return (
    <IconButton
      icon={THEME_ICONS[theme]}
      label={`Colours: ${theme}. Change to ${NEXT[theme]}`}
      onClick={() => setTheme(NEXT[theme])}
    />
  );
}

function Toasts({ lost }: { lost: boolean }) {
  const toasts = useToasts();
  return (
    <div className="toasts">
      {lost && <Notice tone="warn">The inspector’s process is not answering. Trying again…</Notice>}
      {toasts.map(({ id, tone, text }) => (
        <Notice key={id} tone={tone}>
          {text}
        </Notice>
      ))}
    </div>
  );
}
