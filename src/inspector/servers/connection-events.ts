/** What happens to a server between its messages, written into the timeline: attempts, and what its program prints. */

import { maskText } from '../../protocol/secrets.js';
import type { ConnectionEvent, ServerId, TransportName } from '../api.js';
import { Throttle } from '../events.js';
import type { Recording } from '../recorder/recording.js';

/** Lines that are written together are one row. */
const STDERR_MS = 100;
const MAX_STDERR = 16 * 1024;

export class ConnectionEvents {
  readonly #recording: Recording;
  readonly #server: ServerId;
  readonly #transport: TransportName;
  readonly #stderr: Throttle;
  #written = '';
  connection = 0;

  constructor(recording: Recording, server: ServerId, transport: TransportName) {
    this.#recording = recording;
    this.#server = server;
    this.#transport = transport;
    this.#stderr = new Throttle(STDERR_MS, () => this.flush());
  }

  note(event: ConnectionEvent, text: string, failed = false): void {
    if (!this.#recording.timeline.recording) return;
    this.#recording.timeline.add({
      at: this.#recording.now(),
      server: this.#server,
      source: 'inspector',
      hop: 'direct',
      direction: 'to-client',
      connection: this.connection,
      transport: this.#transport,
      kind: 'event',
      event,
      failed,
      text,
      streamed: false,
    });
  }

  stderr(line: string): void {
    const text = maskText(line).text;
    this.#written = `${this.#written}${this.#written === '' ? '' : '\n'}${text}`.slice(0, MAX_STDERR);
    this.#stderr.request();
  }

  /** What was written comes before what follows on it. */
  flush(): void {
    const text = this.#written;
    this.#written = '';
    this.#stderr.stop();
    if (text !== '') this.note('stderr', text);
  }
}
