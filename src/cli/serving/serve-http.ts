/** Runs a server over HTTP until the user ends it. */

import type { CloseOptions } from '../../protocol/close-options.js';
import type { HttpHandle, HttpServeOptions } from '../../server/index.js';
import { CommandFailure, EXIT_FAILED, EXIT_OK } from '../failure/failure.js';
import { Interruption } from '../session/interruption.js';

/** A server, or a chain. */
interface Listening {
  http(options?: HttpServeOptions): Promise<HttpHandle>;
  close(options?: CloseOptions): Promise<void>;
}

/** How long calls may take to finish after Ctrl-C. */
const GRACE_MS = 2_000;

export async function serveHttp(
  server: Listening,
  options: HttpServeOptions,
  announce: (handle: HttpHandle) => void,
): Promise<number> {
  const interruption = new Interruption();
  try {
    const handle = await listen(server, options);
    announce(handle);
    if (!interruption.signal.aborted) {
      await new Promise<void>((resolve) => {
        interruption.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    await server.close({ drain: GRACE_MS });
    return interruption.exitCode ?? EXIT_OK;
  } finally {
    interruption.release();
  }
}

async function listen(server: Listening, options: HttpServeOptions): Promise<HttpHandle> {
  try {
    return await server.http(options);
  } catch (error) {
    throw new CommandFailure(EXIT_FAILED, describeListening(error, options), { cause: error });
  }
}

/** Why a port could not be had, and what to do. */
export function describeListening(
  error: unknown,
  { port, host }: Pick<HttpServeOptions, 'port' | 'host'>,
): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is in use; choose another one, or 0 for any that is free`;
  if (code === 'ERR_SOCKET_BAD_PORT')
    return `There is no port ${port}; choose one up to 65535, or 0 for any that is free`;
  if (code === 'EACCES') return `Port ${port} needs more rights than you have; choose one above 1023`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `This machine has no address ${host}; check --host`;
  return `Could not listen: ${error instanceof Error ? error.message : error}`;
}
