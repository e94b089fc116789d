/** The ways to make one endpoint of many servers: `--mcp`, a YAML file, code. */

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { found, installed, type Running, serve, startProgram, stopAfter, type Test } from './plumb.js';
import type { Workspace } from './workspace.js';

/** Servers by name, as a client's configuration or a chain's has them. */
export type Servers = Readonly<Record<string, object>>;

export type Gateway = Running & { readonly url: string };
export type StartGateway = (test: Test, workspace: Workspace, servers: Servers) => Promise<Gateway>;

export const fromMcpJson: StartGateway = (test, workspace, mcpServers) =>
  serve(test, workspace, ['chain', '--mcp', workspace.write('mcp.json', { mcpServers }), '--http', '0']);

export const fromYaml: StartGateway = (test, workspace, servers) =>
  serve(test, workspace, ['chain', workspace.write('chain.yaml', stringify({ servers })), '--http', '0']);

/** A program of one's own beside the installed package. */
export const fromCode: StartGateway = async (test, workspace, servers) => {
  const running = startProgram(workspace, process.execPath, [
    inInstalled('gateway.mjs'),
    workspace.write('servers.json', servers),
  ]);
  stopAfter(test, running);
  return { ...running, url: await found(running, /listens at (\S+)/) };
};

/** A program of the journeys, put where it finds the installed package. */
export function inInstalled(name: string): string {
  const path = join(installed, name);
  copyFileSync(fileURLToPath(new URL(`../programs/${name}`, import.meta.url)), path);
  return path;
}
