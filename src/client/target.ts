/** From what users write to a transport. The one place that knows which kinds of target there are. */

import { McpError } from '../protocol/errors.js';
import type { StdioTransportOptions } from '../transports/stdio/index.js';
import type { Transport } from '../transports/transport.js';

/** A program to start and talk to over its standard input and output. */
export type StdioTarget = StdioTransportOptions;

/** A server behind a URL, with headers for every request to it. */
export interface HttpTarget {
  readonly url: URL | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whatever can give a transport to itself, such as a server in this process. */
export interface TransportSource {
  transport(): Transport | Promise<Transport>;
}

export type Target = URL | string | StdioTarget | HttpTarget | TransportSource | Transport;

export async function openTransport(target: Target): Promise<Transport> {
  if (typeof target === 'string' || target instanceof URL) return openUrl(target);
  if ('start' in target) return target;
  if ('transport' in target) return target.transport();
  if ('url' in target) return openUrl(target.url);
  if ('command' in target) {
    const { createStdioTransport } = await import('../transports/stdio/index.js');
    return createStdioTransport(target);
  }
  throw unsupported(
    'This is no target',
    'pass a URL, { command, args }, { url, headers }, a server or a transport',
  );
}

/** A transport is used once, so a connection over a given one cannot be opened again. */
export function isReopenable(target: Target): boolean {
  return typeof target === 'string' || target instanceof URL || !('start' in target);
}

function openUrl(url: URL | string): Transport {
  const text = String(url);
  if (!/^https?:\/\//i.test(text)) {
    throw unsupported(
      `${JSON.stringify(text)} is not an http(s) URL`,
      'pass { command, args } to start a program, or a full URL',
    );
  }
  throw unsupported(
    `${text} needs the HTTP transport, which this version does not have`,
    'use { command, args }',
  );
}

function unsupported(what: string, next: string): McpError<'unsupported_target'> {
  return new McpError('unsupported_target', `${what}; ${next}`);
}
