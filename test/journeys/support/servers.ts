/** The servers of the journeys: official and not, old and new, in JavaScript, Go and Rust, quiet and noisy. */

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MARK } from './processes.js';
import type { Workspace } from './workspace.js';

export interface StdioEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface RealServer extends StdioEntry {
  readonly name: string;
  /** A call that changes nothing and whose answer is always the same. */
  readonly harmless: ToolCall;
  /** It writes to stdout what is no message. */
  readonly printsBanner?: true;
  /** Tools whose answer depends on how the server was started. */
  readonly unlike?: readonly string[];
  /** Tools that can be called as a task only, which official clients refuse to call otherwise. */
  readonly tasks?: readonly string[];
  /** Arguments for tools that do too much, or wait too long, without any. */
  readonly careful?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const SERVERS = fileURLToPath(new URL('../servers/', import.meta.url));
const MODULES = join(SERVERS, 'node_modules');
const RUST = join(MODULES, '@leanspec/mcp-linux-x64/leanspec-mcp');
const GO = join(MODULES, 'kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64');

/** The program that a package brings. */
export function program(packageName: string): string {
  const manifest = join(MODULES, packageName, 'package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  return join(dirname(manifest), typeof bin === 'string' ? bin : String(Object.values(bin)[0]));
}

export function environment({ mark, path }: Workspace): Record<string, string> {
  return { [MARK]: mark, HOME: path('home'), PATH: process.env.PATH ?? '' };
}

export function realServers(workspace: Workspace): RealServer[] {
  const base = { cwd: workspace.path('repository'), env: environment(workspace) };
  const node = (
    name: string,
    packageName: string,
    harmless: ToolCall,
    args: string[] = [],
    env: Record<string, string> = {},
  ): RealServer => ({
    ...base,
    name,
    command: process.execPath,
    args: [program(packageName), ...args],
    env: { ...base.env, ...env },
    harmless,
  });
  const notes = workspace.path('notes');
  return [
    {
      ...node('everything', '@modelcontextprotocol/server-everything', call('echo', { message: 'hi' }), [], {
        GZIP_ALLOWED_DOMAINS: 'nowhere.invalid',
      }),
      unlike: ['get-env'],
      tasks: ['simulate-research-query'],
      careful: { 'trigger-long-running-operation': { duration: 0.2, steps: 2 } },
    },
    node('filesystem', '@modelcontextprotocol/server-filesystem', call('list_directory', { path: notes }), [
      notes,
    ]),
    node('memory', '@modelcontextprotocol/server-memory', call('read_graph'), [], {
      MEMORY_FILE_PATH: workspace.path('memory.jsonl'),
    }),
    node(
      'thinking',
      '@modelcontextprotocol/server-sequential-thinking',
      // Answers with an error of validation: each thought would count.
      call('sequentialthinking', {
        thought: 'a',
        thoughtNumber: 0,
        totalThoughts: 1,
        nextThoughtNeeded: false,
      }),
    ),
    // SDK 1.0.
    node('github', '@modelcontextprotocol/server-github', call('get_issue')),
    // SDK 0.5; has resources, and no resources/templates/list.
    {
      ...node('everart', '@modelcontextprotocol/server-everart', call('no_such_tool'), [], {
        EVERART_API_KEY: 'none',
      }),
    },
    // SDK 2, in the newest revision.
    node('context7', '@upstash/context7-mcp', call('query-docs')),
    node('chart', '@antv/mcp-server-chart', call('generate_pie_chart'), [], {
      VIS_REQUEST_SERVER: 'http://127.0.0.1:9',
    }),
    node('taskmanager', '@kazuph/mcp-taskmanager', call('list_requests'), [], {
      TASK_MANAGER_FILE_PATH: workspace.path('tasks.json'),
    }),
    ...[
      node('time', 'time-mcp', call('days_in_month', { date: '2024-02-01' })),
      node('calculator', '@wrtnlabs/calculator-mcp', call('add', { a: 1, b: 2 })),
      node('shared-files', '@shtse8/filesystem-mcp', call('list_files', { path: '.' })),
    ].map((server): RealServer => ({ ...server, printsBanner: true })),
    node('obsidian', 'mcp-obsidian', call('search_notes', { query: 'bern' }), [notes]),
    {
      ...node('commands', 'mcp-server-commands', call('run_command', { command: 'echo hi' })),
    },
    // Writes pages of log to stderr.
    node('git', '@cyanheads/git-mcp-server', call('git_status')),
    {
      ...base,
      name: 'fast',
      command: process.execPath,
      args: [join(SERVERS, 'fast.mjs')],
      harmless: call('count', { to: 2 }),
    },
    ...(existsSync(RUST) ? [rust(base, workspace)] : []),
    ...(existsSync(GO) ? [go(base, workspace)] : []),
  ];
}

type Base = Pick<RealServer, 'cwd' | 'env'>;

function rust(base: Base, { path }: Workspace): RealServer {
  // npm does not keep the mode of files, and the package's own script may not have run.
  chmodSync(RUST, 0o755);
  return {
    ...base,
    name: 'leanspec',
    command: RUST,
    args: ['--project', path('repository')],
    harmless: call('list_specs'),
  };
}

function go(base: Base, { path }: Workspace): RealServer {
  return {
    ...base,
    name: 'kubernetes',
    command: GO,
    args: [],
    env: { ...base.env, KUBECONFIG: path('kubeconfig') },
    harmless: call('configuration_view'),
  };
}

function call(name: string, args: Record<string, unknown> = {}): ToolCall {
  return { name, arguments: args };
}

/** As clients write it down. */
export function mcpJson(servers: readonly RealServer[]): { mcpServers: Record<string, StdioEntry> } {
  return { mcpServers: Object.fromEntries(servers.map((server) => [server.name, entryOf(server)])) };
}

export function entryOf({ command, args, env, cwd }: StdioEntry): StdioEntry {
  return { command, args, env, cwd };
}
