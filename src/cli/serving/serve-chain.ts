/** Serves a chain the way its flags say, until its client or the user ends it. */

import type { CloseOptions } from '../../protocol/close-options.js';
import type { TappedHttpOptions } from '../../server/http/service.js';
import type { HttpHandle } from '../../server/index.js';
import type { TappedStdioOptions } from '../../server/node-stdio.js';
import { ObservedTransport, type TransportObserver } from '../../transports/observed.js';
import type { Transport } from '../../transports/transport.js';
import { EXIT_OK } from '../failure/failure.js';
import { frontAuth } from '../options/front-auth.js';
import { type ListenFlags, listenOptions } from '../options/http-options.js';
import { withStore } from '../options/shared-store.js';
import { Interruption } from '../session/interruption.js';
import { announcement } from './announcement.js';
import { metricsPage } from './metrics-page.js';
import { serveHttp } from './serve-http.js';

/** A chain, or something else of a module that serves like one. */
export interface Serving {
  http(options?: TappedHttpOptions): Promise<HttpHandle>;
  stdio(options?: Pick<TappedStdioOptions, 'exit' | 'tap' | 'input'>): Promise<void>;
  close(options?: CloseOptions): Promise<void>;
}

export async function serveChain(
  serving: Serving,
  flags: ListenFlags,
  what: string,
  watch?: Pick<TappedHttpOptions, 'tap'> & { listens?(url: string): void; observer?(): TransportObserver },
): Promise<number> {
  const tap = watch?.tap;
  const options = {
    ...listenOptions(flags),
    ...(await frontAuth(flags)),
    ...metricsPage(serving),
    ...(tap === undefined ? {} : { tap }),
  };
  if (flags.http !== undefined || flags.store !== undefined) {
    return withStore(flags, (store) =>
      serveHttp(serving, { ...options, ...(store === undefined ? {} : { store }) }, ({ url, origin }) => {
        watch?.listens?.(url);
        const { host, allowHost, bearerTokenEnv, authIssuer } = flags;
        const checksCallers = bearerTokenEnv !== undefined || authIssuer !== undefined;
        const allowsHosts = allowHost !== undefined;
        process.stderr.write(announcement({ what, url, host, allowsHosts, checksCallers }));
        if (flags.legacySse === true) process.stderr.write(`Old clients connect to ${origin}/sse\n`);
      }),
    );
  }
  if (process.stdin.isTTY && process.stderr.isTTY)
    process.stderr.write(
      `${what} speaks MCP on stdin and stdout, for a client that starts this command. --http 3300 serves it at a URL.\n`,
    );
  // On Ctrl-C the servers behind have to go too, which takes a moment.
  const interruption = new Interruption();
  const interrupted = new Promise<void>((resolve) => {
    interruption.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    const observer = watch?.observer?.();
    const observed =
      observer === undefined
        ? {}
        : { tap: (transport: Transport) => new ObservedTransport(transport, observer) };
    // Given explicitly, the transport does not explain itself to a person at a terminal too.
    const input = process.stdin;
    await Promise.race([serving.stdio({ exit: false, input, ...observed }), interrupted]);
    await serving.close({ drain: 0 });
    return interruption.exitCode ?? EXIT_OK;
  } finally {
    interruption.release();
  }
}
