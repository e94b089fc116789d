/** What was wrong with a server while its connection went on: the newest of it. */

import type { ClientFault } from '../../client/events.js';
import { maskText } from '../../protocol/secrets.js';
import type { ServerFault } from '../api.js';
import { Throttle } from '../events.js';

const MAX_FAULTS = 50;
/** Faults may come by the thousand. */
const TELL_MS = 100;

export class Faults {
  readonly #tell: Throttle;
  #faults: readonly ServerFault[] = [];

  constructor(changed: () => void) {
    this.#tell = new Throttle(TELL_MS, changed);
  }

  newest(): readonly ServerFault[] {
    return this.#faults;
  }

  add({ kind, message, sample }: ClientFault): void {
    const fault: ServerFault = {
      at: Date.now(),
      kind,
      message: maskText(message).text,
      ...(sample === undefined ? {} : { sample: maskText(sample).text }),
    };
    this.#faults = [...this.#faults, fault].slice(-MAX_FAULTS);
    this.#tell.request();
  }
}
