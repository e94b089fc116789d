import type { HttpServeOptions } from '../../server/index.js';
import type { Store } from '../../store/index.js';
import { createDemoServer } from '../demo/server.js';
import { addSkills } from '../demo/skills.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import { checkRevisions } from '../options/revisions.js';
import { type StoreFlags, withStore } from '../options/shared-store.js';
import { commandName } from '../program/command-name.js';
import { announcement, hostsFor } from '../serving/announcement.js';
import { serveHttp } from '../serving/serve-http.js';

export interface DemoFlags extends StoreFlags {
  readonly stdio?: boolean;
  readonly http?: number;
  readonly host?: string;
  readonly path?: string;
  readonly allowOrigin?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly legacySse?: boolean;
  /** False with `--no-sessions`. */
  readonly sessions?: boolean;
  readonly revisions?: readonly string[];
  readonly tools?: number;
  readonly pageSize?: number;
}

export function demo(flags: DemoFlags): Promise<number> {
  return withStore(flags, (store) => serve(flags, store));
}

async function serve(flags: DemoFlags, store: Store | undefined): Promise<number> {
  const server = createDemoServer({
    revisions: checkRevisions('--revisions', flags.revisions),
    extraTools: flags.tools,
    pageSize: flags.pageSize,
    store,
  });
  await addSkills(server);
  if (flags.http !== undefined) {
    if (flags.stdio === true) throw new UsageError('Choose one of --stdio and --http');
    const options = { ...httpOptions(flags), ...(store === undefined ? {} : { store }) };
    return serveHttp(server, options, ({ url, origin }) => {
      const { host, allowHost } = flags;
      const what = 'The demo server';
      const allowsHosts = allowHost !== undefined;
      process.stderr.write(announcement({ what, url, host, allowsHosts, checksCallers: undefined }));
      if (flags.legacySse === true) process.stderr.write(`Old clients connect to ${origin}/sse\n`);
    });
  }
  if (process.stdin.isTTY) {
    const plumb = commandName();
    process.stderr.write(
      `The demo server speaks MCP on stdin and stdout. Try: ${plumb} list -- ${plumb} demo --stdio\n`,
    );
  }
  await server.stdio({ input: process.stdin });
  return EXIT_OK;
}

function httpOptions(flags: DemoFlags): HttpServeOptions {
  const { http, host, path, allowOrigin, allowHost, legacySse, sessions } = flags;
  if (path !== undefined && !path.startsWith('/'))
    throw new UsageError(`--path must begin with "/": /${path}`);
  const allowedHosts = hostsFor(host, allowHost);
  return {
    ...(http === undefined ? {} : { port: http }),
    ...(host === undefined ? {} : { host }),
    ...(path === undefined ? {} : { path }),
    ...(allowOrigin === undefined ? {} : { allowedOrigins: checkOrigins(allowOrigin) }),
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
    ...(legacySse === undefined ? {} : { legacySse }),
    ...(sessions === undefined ? {} : { sessions }),
  };
}

function checkOrigins(origins: readonly string[]): readonly string[] {
  for (const origin of origins) {
    if (URL.canParse(origin)) continue;
    throw new UsageError(
      `--allow-origin ${origin} is not an origin; use a value such as https://app.example.com`,
    );
  }
  return origins;
}
