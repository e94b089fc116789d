/** Whether the dialog that adds a server is open: buttons in several places open it. */

import { createStore, useStore, type ValueStore } from './store.js';

const open: ValueStore<boolean> = createStore(false);

export function showAddDialog(shown: boolean): void {
  open.update(() => shown);
}

export function useAddDialog(): boolean {
  return useStore(open, (value) => value);
}
