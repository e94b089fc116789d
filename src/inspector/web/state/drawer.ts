/** The traffic drawer: whether it is open, where it is docked, and how large; remembered by the browser. */

import { createStore, useStore, type ValueStore } from './store.js';

export interface Drawer {
  readonly open: boolean;
  readonly dock: 'bottom' | 'right';
  /** In pixels: the height at the bottom, the width at the right. */
  readonly height: number;
  readonly width: number;
}

const KEY = 'plumb.drawer';
const DEFAULT: Drawer = { open: window.innerWidth > 760, dock: 'bottom', height: 260, width: 520 };
const MIN_SIZE = 96;

function remembered(): Drawer {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Drawer>;
    return {
      open: typeof kept.open === 'boolean' ? kept.open : DEFAULT.open,
      dock: kept.dock === 'right' ? 'right' : 'bottom',
      height: Number(kept.height) || DEFAULT.height,
      width: Number(kept.width) || DEFAULT.width,
    };
  } catch {
    return DEFAULT;
  }
}

const drawer: ValueStore<Drawer> = createStore(remembered());

export function setDrawer(part: Partial<Drawer>): void {
  drawer.update((before) => {
    const after = { ...before, ...part };
    const most = { height: window.innerHeight - 200, width: window.innerWidth - 480 };
    const bounded = {
      ...after,
      height: Math.max(MIN_SIZE, Math.min(after.height, Math.max(MIN_SIZE, most.height))),
      width: Math.max(280, Math.min(after.width, Math.max(280, most.width))),
    };
    localStorage.setItem(KEY, JSON.stringify(bounded));
    return bounded;
  });
}

export function toggleDrawer(): void {
  setDrawer({ open: !drawer.get().open });
}

export function useDrawer(): Drawer {
  return useStore(drawer, (value) => value);
}
