import type { StateName } from '../../../src/client/connection/machine.js';

/** Where each state may lead. */
export const NEXT: Readonly<Record<StateName, readonly StateName[]>> = {
  closed: ['starting'],
  starting: ['initializing', 'backoff', 'closing'],
  initializing: ['ready', 'backoff', 'closing'],
  ready: ['backoff', 'initializing', 'closing', 'closed'],
  backoff: ['starting', 'closing'],
  closing: ['closed'],
};
