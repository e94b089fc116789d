/** Whether the dialog that adds a server is open: buttons in several places open it. */

import { createStore, type Store, useStore } from './store.js';

const open: Store<boolean> = createStore(false);

export function showAddDialog(shown: boolean): void {
  open.update(() => shown);
}

export function useAddDialog(): boolean {
  return useStore(open, (value) => value);
}
