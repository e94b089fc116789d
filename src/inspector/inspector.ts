/** The inspector: a page in the browser, and the process behind it. */

import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { singleLine } from '../protocol/display.js';
import type { NodeHandler } from '../transports/http/server/node.js';
import { createHttpServer } from '../transports/http/server/node-server.js';
import { type CoreOptions, InspectorCore } from './core.js';
import { Access, createToken } from './http/access.js';
import { createInspectorHandler } from './http/handler.js';
import { StaticFiles } from './http/static-files.js';

export interface InspectorOptions extends CoreOptions {
  /** Default: random. At least 16 characters. */
  readonly token?: string | undefined;
  /** The folder of the built page. */
  readonly page?: string | undefined;
}

export interface Inspector {
  readonly core: InspectorCore;
  /** Serves the page and its API, on the caller's own listener. */
  readonly handler: NodeHandler;
  /** The path that opens the page, token and all. */
  readonly path: string;
  close(): Promise<void>;
}

export interface InspectorListener {
  readonly port: number;
  /** What to open in a browser. */
  readonly url: URL;
  close(): Promise<void>;
}

/** Other hosts cannot reach the inspector. */
const HOST = '127.0.0.1';

/** Where the build puts the page, seen from the package: this code may be in any file of dist/, or in src/. */
function builtPage(): string {
  const manifest = createRequire(import.meta.url).resolve('plumb-mcp/package.json');
  return join(dirname(manifest), 'dist', 'inspector', 'web');
}

export function createInspector({ token, page, ...options }: InspectorOptions = {}): Inspector {
  const core = new InspectorCore(options);
  const access = new Access(token ?? createToken());
  return {
    core,
    handler: createInspectorHandler({ core, access, files: new StaticFiles(page ?? builtPage()) }),
    path: `/t/${access.token}/`,
    close: () => core.close(),
  };
}

/** 0 takes a free port. */
export async function listenInspector(
  { handler, path, close }: Inspector,
  port: number,
): Promise<InspectorListener> {
  const server = createHttpServer({}, handler, (error) =>
    process.stderr.write(`The inspector could not answer a request: ${singleLine(String(error))}\n`),
  );
  // Streams of events may stay silent for long, and an import may be long.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    port: bound,
    url: new URL(path, `http://${HOST}:${bound}`),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await close();
      server.closeAllConnections();
      await closed;
    },
  };
}
