/** Options of commands that listen for HTTP. */

import { type Command, Option } from 'commander';
import type { HttpServeOptions } from '../../server/index.js';
import { UsageError } from '../failure/failure.js';
import { hostsFor } from '../serving/announcement.js';
import type { InspectedFlags } from '../serving/with-inspector.js';
import { collect, parseCount } from './flags.js';
import { addFrontAuthOptions, type FrontAuthFlags } from './front-auth.js';
import { addStoreOption, type StoreFlags } from './shared-store.js';

export interface ListenFlags extends StoreFlags, FrontAuthFlags, InspectedFlags {
  readonly stdio?: boolean;
  readonly http?: number;
  readonly allowOrigin?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly legacySse?: boolean;
  /** False with `--no-sessions`; without it, requests that name no session are served all the same. */
  readonly sessions?: boolean;
}

export function addListenOptions(command: Command): Command {
  return addHttpOptions(addFrontAuthOptions(addStoreOption(command))).addOption(
    new Option(
      '--inspect [port]',
      'show the traffic in the inspector, on this port (default: a free one)',
    ).argParser(parseCount),
  );
}

/** Where and how a server is served; without the options of what stands in front of other servers. */
export function addHttpOptions(command: Command): Command {
  return command
    .option('--stdio', 'serve on stdin and stdout (default)')
    .addOption(
      new Option('--http <port>', 'listen for HTTP on this port; 0 selects a free one').argParser(parseCount),
    )
    .option('--host <address>', 'listen on this address (default: loopback)')
    .option('--path <path>', 'serve at this path (default: /mcp)')
    .addOption(
      new Option('--allow-origin <origin>', 'allow web pages of this origin (repeatable)').argParser(collect),
    )
    .addOption(
      new Option(
        '--allow-host <name>',
        'accept this Host header, in addition to loopback names (repeatable)',
      ).argParser(collect),
    )
    .option('--legacy-sse', 'serve the old HTTP+SSE transport too, at /sse')
    .option(
      '--no-sessions',
      'give clients of the handshake era no sessions: every request stands alone, and the server cannot ask them back',
    );
}

export function listenOptions(flags: ListenFlags): HttpServeOptions {
  const { http, host, path, allowOrigin, allowHost, legacySse } = flags;
  if (flags.stdio === true && http !== undefined) throw new UsageError('Choose one of --stdio and --http');
  if (path !== undefined && !path.startsWith('/'))
    throw new UsageError(`--path must begin with "/": /${path}`);
  for (const origin of allowOrigin ?? []) {
    if (URL.canParse(origin)) continue;
    throw new UsageError(
      `--allow-origin ${origin} is not an origin; use a value such as https://app.example.com`,
    );
  }
  const allowedHosts = hostsFor(host, allowHost);
  return {
    ...(http === undefined ? {} : { port: http }),
    ...(host === undefined ? {} : { host }),
    ...(path === undefined ? {} : { path }),
    ...(allowOrigin === undefined ? {} : { allowedOrigins: allowOrigin }),
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
    ...(legacySse === undefined ? {} : { legacySse }),
    sessions: flags.sessions === false ? false : 'optional',
  };
}
