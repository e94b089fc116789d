/** The frame around the panels: brand, server, navigation, shortcuts, messages. */

import { useEffect, useRef, useState } from 'react';
import { IconButton } from './components/button.js';
import { EmptyState } from './components/empty-state.js';
import { ErrorBoundary } from './components/error-boundary.js';
import { Icon } from './components/icon.js';
import { Notice } from './components/notice.js';
import { Navigation } from './navigation.js';
import { panelEntry } from './panels/panel-list.js';
import { TrafficDrawer } from './panels/timeline/traffic-drawer.js';
import { ServerPicker } from './server-picker.js';
import { ShortcutsDialog, useShortcuts } from './shortcuts.js';
import { useDrawer } from './state/drawer.js';
import { homeHash } from './state/home.js';
import { useInspector } from './state/inspector.js';
import { routeHash, useRoute } from './state/route.js';
import { setTheme, type Theme, useTheme } from './state/theme.js';
import { useToasts } from './state/toasts.js';

export function App() {
  const { panel, server, item } = useRoute();
  const drawer = useDrawer();
  const link = useInspector((state) => state.link);
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  useShortcuts(() => setHelp(true));
  useHome();
  const entry = panelEntry(panel);
  const label = entry?.label ?? 'Servers';
  useEffect(() => {
    document.title = `${label} – Plumb inspector`;
  }, [label]);
  const hasDrawer = entry?.drawer === true;
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
        {(link === 'live' || link === 'lost') && entry && (
          <div className="workspace" data-dock={hasDrawer && drawer.open ? drawer.dock : undefined}>
            <div className="workspace-panel">
              <ErrorBoundary what="This panel" resetKey={`${panel} ${server} ${item}`}>
                <entry.view />
              </ErrorBoundary>
            </div>
            {hasDrawer && (
              <ErrorBoundary what="The traffic drawer">
                <TrafficDrawer />
              </ErrorBoundary>
            )}
          </div>
        )}
      </main>
      {help && <ShortcutsDialog onClose={() => setHelp(false)} />}
      <Toasts lost={link === 'lost'} />
    </div>
  );
}

/** The address without a place leads to what is most likely wanted. */
function useHome(): void {
  const home = useInspector((state) => (state.link === 'live' ? homeHash(state) : undefined));
  useEffect(() => {
    if (home !== undefined && /^#?\/?$/.test(location.hash)) location.replace(home);
  }, [home]);
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
