/**
 * Sessions with a process of their own that a check has left as it found them: the next check goes on with one
 * instead of starting another process. Over HTTP a session costs next to nothing, and none is kept.
 */

import { LineConnection } from '../wire/line-pipe.js';
import type { Opened, OpenSessionOptions } from './open.js';
import { ValidatorSession, type ValidatorSessionOptions } from './session.js';

export class SessionPool {
  readonly #idle: Opened[] = [];
  #closed = false;

  /** A session like a new one; undefined where there is none, or where a new process is the point. */
  take(options: OpenSessionOptions): Opened | undefined {
    for (let opened = this.#idle.shift(); opened !== undefined; opened = this.#idle.shift()) {
      const { session } = opened;
      if (session.connection.ended) continue;
      if (isUsual(options, session.stateless)) return { ...opened, session: renewed(session, options) };
      this.#idle.unshift(opened);
      return undefined;
    }
    return undefined;
  }

  /** Keeps it, or says no: then the caller closes it. */
  give(opened: Opened, options: OpenSessionOptions): boolean {
    const { session } = opened;
    const { connection } = session;
    if (!(connection instanceof LineConnection) || connection.subscribed || connection.ended) return false;
    if (this.#closed || !session.settled || !canBecomeUsual(opened, options)) return false;
    if (!session.stateless && options.handshake === 'initialize')
      void session.notify('notifications/initialized').catch(() => undefined);
    this.#idle.push(opened);
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#idle.splice(0).map(({ session }) => session.close()));
  }
}

/** In the handshake era the capabilities belong to the process; later each request carries its own. */
function isUsual(options: OpenSessionOptions, stateless: boolean): boolean {
  const { capabilities, clientInfo, answer, handshake, version, ids } = options;
  if (version !== undefined || ids === 'numbers') return false;
  if (stateless) return true;
  return [capabilities, clientInfo, answer, handshake].every((option) => option === undefined);
}

/** A handshake that stopped half way is completed; ids are new for each check anyway. */
function canBecomeUsual({ session, greeting }: Opened, options: OpenSessionOptions): boolean {
  const begun = options.handshake !== 'none' && greeting?.kind === 'result';
  const { handshake: _, ids: __, ...rest } = options;
  return (session.stateless || begun) && isUsual(rest, session.stateless);
}

/** The same connection with an empty inbox, and ids that nobody has used there. */
function renewed(session: ValidatorSession, options: OpenSessionOptions): ValidatorSession {
  session.detach();
  const { capabilities, clientInfo, answer } = options;
  const settings: ValidatorSessionOptions = {
    revision: session.revision,
    connection: session.connection,
    timeoutMs: session.timeoutMs,
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(clientInfo === undefined ? {} : { clientInfo }),
    ...(answer === undefined ? {} : { answer }),
  };
  return new ValidatorSession(settings);
}
