/** What is validated: a command that speaks on stdio, a URL, or the old two-endpoint transport. */

import type { HttpTarget, Target } from '../transports/target.js';
import { childPipe, type ServerCommand } from './wire/child-pipe.js';
import type { WireConnection } from './wire/connection.js';
import { HttpConnection } from './wire/http-connection.js';
import { type OpenPipe, openLineConnection } from './wire/line-pipe.js';
import type { Recorder } from './wire/recorder.js';
import { sourcePipe } from './wire/source-pipe.js';
import { SseConnection } from './wire/sse-connection.js';

export type ValidationTarget =
  | { readonly kind: 'stdio'; readonly label: string; readonly open: OpenPipe }
  | HttpValidationTarget
  | (Omit<HttpValidationTarget, 'kind'> & { readonly kind: 'sse' });

export interface HttpValidationTarget {
  readonly kind: 'http';
  readonly label: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server that speaks the old HTTP+SSE only. */
export interface SseTarget {
  readonly url: URL | string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly transport: 'sse';
}

/** The server as the validator reaches it, from what `connect` takes too. */
export function validationTarget(target: Target | SseTarget | ValidationTarget): ValidationTarget {
  if (typeof target === 'string' || target instanceof URL) return urlTarget(target);
  if ('kind' in target) return target;
  if ('command' in target) return commandTarget(target);
  if ('url' in target) return addressTarget(target);
  if ('start' in target)
    throw new TypeError(
      'A transport can be used once; pass the server, its URL or { command, args } instead',
    );
  return pipeTarget('a server of this process', sourcePipe(target));
}

function addressTarget(target: HttpTarget | SseTarget): ValidationTarget {
  const { url, headers } = target;
  if (typeof headers === 'function' || ('auth' in target && target.auth !== undefined))
    throw new TypeError(
      'The validator takes no "auth" and no function for "headers"; pass the headers themselves',
    );
  return urlTarget(url, {
    headers: { ...headers },
    transport: 'transport' in target ? target.transport : 'http',
  });
}

export function commandTarget(server: ServerCommand): ValidationTarget {
  const label = [server.command, ...(server.args ?? [])].join(' ');
  return { kind: 'stdio', label, open: childPipe(server) };
}

/** Anything that speaks lines: a server inside the same program, for example. */
export function pipeTarget(label: string, open: OpenPipe): ValidationTarget {
  return { kind: 'stdio', label, open };
}

export function urlTarget(
  url: string | URL,
  options: {
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly transport?: 'http' | 'sse' | undefined;
  } = {},
): ValidationTarget {
  const { headers = {}, transport = 'http' } = options;
  return { kind: transport, label: String(url), url: new URL(url), headers };
}

export async function connect(
  target: ValidationTarget,
  recorder: Recorder,
  timeoutMs: number,
): Promise<WireConnection> {
  switch (target.kind) {
    case 'stdio':
      return openLineConnection(recorder, target.open);
    case 'http':
      return new HttpConnection(recorder, { ...target, timeoutMs });
    case 'sse':
      return SseConnection.open(recorder, { ...target, timeoutMs });
  }
}
