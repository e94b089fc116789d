/** From what users write to a transport. The one place that knows which kinds of target there are. */

import { McpError } from '../protocol/errors.js';
import type { HttpTransportOptions } from '../transports/http/client/transport.js';
import type { HttpTarget, StdioTarget, Target } from '../transports/target.js';
import type { Transport } from '../transports/transport.js';
import { CancelledError } from './errors.js';

export type { HttpTarget, StdioTarget, Target, TransportSource } from '../transports/target.js';

/** Options of `connect` that concern servers behind a URL; those of the target itself win. */
export interface OpenTransportOptions
  extends Pick<HttpTransportOptions, 'auth' | 'headers' | 'fetch' | 'signal'> {
  readonly maxFrameBytes?: number;
}

export async function openTransport(target: Target, options: OpenTransportOptions = {}): Promise<Transport> {
  if (options.signal?.aborted === true) throw new CancelledError('connect', options.signal.reason, false);
  if (typeof target === 'string' || target instanceof URL) return openUrl({ url: target }, options);
  if (typeof target !== 'object' || target === null) throw notATarget(target);
  if ('start' in target) return target;
  if ('transport' in target) return target.transport();
  if ('url' in target) return openUrl(target, options);
  if ('command' in target) {
    const { createStdioTransport } = await import('../transports/stdio/index.js');
    const { maxFrameBytes } = options;
    const opened = createStdioTransport(
      maxFrameBytes === undefined ? target : { maxLineBytes: maxFrameBytes, ...target },
    );
    return target.tap?.(opened) ?? opened;
  }
  throw notATarget(target);
}

/** Whether connecting means starting a process. */
export function isProgram(target: Target): target is StdioTarget {
  return typeof target === 'object' && target !== null && 'command' in target;
}

/** A transport is used once, so a connection over a given one cannot be opened again. */
export function isReopenable(target: Target): boolean {
  return typeof target !== 'object' || target === null || !('start' in target);
}

async function openUrl(
  target: HttpTarget,
  { auth, headers, fetch, maxFrameBytes }: OpenTransportOptions,
): Promise<Transport> {
  const text = String(target.url);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw unsupported(
      `${JSON.stringify(text)} is not an http(s) URL`,
      'pass { command, args } to start a program, or a full URL',
    );
  }
  const { createHttpTransport } = await import('../transports/http/client/transport.js');
  return createHttpTransport({ auth, headers, fetch, maxBodyBytes: maxFrameBytes, ...target });
}

function notATarget(target: unknown): McpError<'unsupported_target'> {
  const next =
    typeof target === 'object' && target !== null && 'mcpServers' in target
      ? 'use connectAll() for a map of servers'
      : 'pass a URL, { command, args }, { url, headers }, a server or a transport';
  return unsupported('This is no target', next);
}

function unsupported(what: string, next: string): McpError<'unsupported_target'> {
  return new McpError('unsupported_target', `${what}; ${next}`);
}
