/**
 * What bundlers and runtimes without Node get in place of the modules that need it (`imports` in package.json): the
 * same names, which say what to do instead when they are called.
 */

import { McpError } from './errors.js';

function needsNode(what: string, instead: string): () => never {
  return () => {
    throw new McpError('needs_node', `${what} needs Node, Bun or Deno; ${instead}`);
  };
}

const USE_FETCH = 'serve requests with server.fetch here';

export const serveStdio: () => never = needsNode('server.stdio()', USE_FETCH);
export const createNodeService: () => never = needsNode('server.http()', USE_FETCH);
export const createStdioTransport: () => never = needsNode(
  'A server that is started by a command',
  'connect to a URL or to a server object here',
);
export const createNodeRequester: () => never = needsNode('The HTTP client of Node', 'pass `fetch` here');
export const openLoopback: () => never = needsNode(
  'A login that waits on a local port',
  'pass an `interaction` of your own here',
);
export const openFileStore: () => never = needsNode(
  'createFileTokenStore()',
  'pass a token store of your own here',
);
export const serveCommands: () => never = needsNode('createCommandServer()', 'run the chain on a server');
export const createAjv: () => never = needsNode('ajv', 'schemas are interpreted here');
export const createGuardedFetch: () => never = needsNode('Judging addresses by name', 'pass `fetch` here');
export const locate: () => never = needsNode('Looking up addresses', 'pass `fetch` here');
const noTasks = needsNode('A task', 'call the tool without one here');
export const createTaskService: () => never = noTasks;
export const serveCoreTask: () => never = noTasks;
export const detailedTask: () => never = noTasks;
export const openSkillsFolder: () => never = needsNode(
  'server.skills()',
  'serve skills with server.extension(skills, ...) here',
);
export const SkillsService: () => never = needsNode(
  'Serving a folder of skills',
  'serve them with server.extension(skills, ...) here',
);
const noEngine = needsNode('The engine for patterns', 'write them without repetitions that overlap here');
export const RE2JS: { compile: () => never; translateRegExp: () => never } = {
  compile: noEngine,
  translateRegExp: noEngine,
};
