/** From what users write to a transport. The one place that knows which kinds of target there are. */

import { McpError } from '../protocol/errors.js';
import type { HttpTransportOptions } from '../transports/http/client/transport.js';
import type { StdioTransportOptions } from '../transports/stdio/index.js';
import type { Transport } from '../transports/transport.js';
import { CancelledError } from './errors.js';

/** A program to start and talk to over its standard input and output. */
export type StdioTarget = StdioTransportOptions;

/** A server behind a URL, with headers for every request to it. */
export type HttpTarget = HttpTransportOptions;

/** Whatever can give a transport to itself, such as a server in this process. */
export interface TransportSource {
  transport(): Transport | Promise<Transport>;
}

export type Target = URL | string | StdioTarget | HttpTarget | TransportSource | Transport;

/** Options of `connect` that concern servers behind a URL; those of the target itself win. */
export interface OpenTransportOptions
  extends Pick<HttpTransportOptions, 'auth' | 'headers' | 'fetch' | 'signal'> {
  readonly maxFrameBytes?: number;
}

export async function openTransport(target: Target, options: OpenTransportOptions = {}): Promise<Transport> {
  if (options.signal?.aborted === true) throw new CancelledError('connect', options.signal.reason, false);
  if (typeof target === 'string' || target instanceof URL) return openUrl({ url: target }, options);
  if (typeof target !== 'object' || target === null) throw notATarget();
  if ('start' in target) return target;
  if ('transport' in target) return target.transport();
  if ('url' in target) return openUrl(target, options);
  if ('command' in target) {
    const { createStdioTransport } = await import('../transports/stdio/index.js');
    const { maxFrameBytes } = options;
    return createStdioTransport(
      maxFrameBytes === undefined ? target : { maxLineBytes: maxFrameBytes, ...target },
    );
  }
  throw notATarget();
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

function notATarget(): McpError<'unsupported_target'> {
  return unsupported(
    'This is no target',
    'pass a URL, { command, args }, { url, headers }, a server or a transport',
  );
}

function unsupported(what: string, next: string): McpError<'unsupported_target'> {
  return new McpError('unsupported_target', `${what}; ${next}`);
}
