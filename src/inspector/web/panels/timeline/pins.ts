/** Messages that the user wants to keep at hand, to compare them. The process keeps them. */

import { command } from '../../state/api-client.js';
import { inspectorState, useInspector } from '../../state/inspector.js';

export function togglePin(seq: number): void {
  const { pins } = inspectorState();
  const seqs = pins.includes(seq) ? pins.filter((each) => each !== seq) : [...pins, seq];
  command('pins.set', { seqs }).catch(() => undefined);
}

export function usePins(): readonly number[] {
  return useInspector((state) => state.pins);
}

export function usePinned(seq: number): boolean {
  return useInspector((state) => state.pins.includes(seq));
}
