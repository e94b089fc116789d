/**
 * Signs of life. While a connection is idle, a round trip in its own way (`ping`, or `server/discover` where
 * there is no ping) distinguishes a silent server from a dead one; a server that sends something itself is
 * not pinged.
 */

import { ProtocolError } from '../../protocol/errors.js';
import type { ClientConnection } from '../connection/connection.js';

export interface KeepAliveSettings {
  /** How long a connection may be silent before it is asked; 0 never asks. */
  readonly intervalMs: number;
  /** How long the answer may take. */
  readonly timeoutMs: number;
}

export class KeepAlive {
  readonly #settings: KeepAliveSettings;
  readonly #unanswered: (connection: ClientConnection, error: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    settings: KeepAliveSettings,
    unanswered: (connection: ClientConnection, error: unknown) => void,
  ) {
    this.#settings = settings;
    this.#unanswered = unanswered;
  }

  start(connection: ClientConnection): void {
    this.stop();
    if (this.#settings.intervalMs > 0) this.#arm(connection, connection.link.received);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(connection: ClientConnection, received: number): void {
    const timer = setTimeout(() => {
      if (connection.link.received !== received) return this.#arm(connection, connection.link.received);
      void this.#ask(connection, timer);
    }, this.#settings.intervalMs);
    this.#timer = timer;
  }

  async #ask(connection: ClientConnection, timer: ReturnType<typeof setTimeout>): Promise<void> {
    const { received } = connection.link;
    try {
      await connection.era.ping({ timeout: this.#settings.timeoutMs });
    } catch (error) {
      // An error is an answer too, and so is anything else that came meanwhile.
      const alive = error instanceof ProtocolError || connection.link.received > received;
      if (!alive && this.#timer === timer) this.#unanswered(connection, error);
    }
    // The listener may have stopped us.
    if (this.#timer === timer && connection.link.ended === undefined)
      this.#arm(connection, connection.link.received);
  }
}
