/** Keys that work everywhere, and the overlay that lists them. */

import { useEffect } from 'react';
import { Dialog } from './components/dialog.js';
import { PANEL_LIST } from './panels/panel-list.js';
import { toggleDrawer } from './state/drawer.js';
import { goTo, parseRoute, routeHash } from './state/route.js';

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches('input, textarea, select, [contenteditable], [data-editor]')
  );
}

export function useShortcuts(showHelp: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const panel = PANEL_LIST[Number(event.key) - 1];
      if (panel !== undefined) goTo(routeHash(panel.name, parseRoute(location.hash).server));
      else if (event.key === '?') showHelp();
      else if (event.key === 't') toggleDrawer();
      else if (event.key === '/') {
        const field = document.querySelector<HTMLElement>('main [data-search="true"]');
        if (field === null) return;
        event.preventDefault();
        field.focus();
      }
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [showHelp]);
}

const KEYS: readonly (readonly [string, string])[] = [
  ['?', 'This overlay'],
  ['/', 'Search in the panel'],
  ['t', 'Open and close the traffic drawer'],
  ['↑ ↓', 'Move in lists and trees'],
  ['← →', 'Move between tabs; open and close in trees'],
  ['Enter', 'Open a link, send a form'],
  ['Ctrl Enter', 'Call the tool, wherever the cursor is in its form'],
  ['Shift Enter', 'A new line in a text field'],
  ['Ctrl Space', 'Complete JSON'],
  ['Esc', 'Close a dialog or a list of suggestions'],
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="facts">
        {PANEL_LIST.slice(0, 9).map(({ name, label }, index) => (
          <Row key={name} keys={String(index + 1)} what={label} />
        ))}
        {KEYS.map(([keys, what]) => (
          <Row key={keys} keys={keys} what={what} />
        ))}
      </dl>
    </Dialog>
  );
}

function Row({ keys, what }: { keys: string; what: string }) {
  return (
    <>
      <dt>
        {keys.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{what}</dd>
    </>
  );
}
