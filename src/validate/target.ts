/** What is validated: a command that speaks on stdio, a URL, or the old two-endpoint transport. */

import { childPipe, type ServerCommand } from './wire/child-pipe.js';
import type { WireConnection } from './wire/connection.js';
import { HttpConnection } from './wire/http-connection.js';
import { type OpenPipe, openLineConnection } from './wire/line-pipe.js';
import type { Recorder } from './wire/recorder.js';
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
  options: { readonly headers?: Readonly<Record<string, string>>; readonly transport?: 'http' | 'sse' } = {},
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
