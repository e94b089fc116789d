/**
 * Files of one folder, and of no other: names with `..`, absolute paths and links that lead outside are refused.
 *
 *   plumb call read_file path=notes.txt -- node examples/files/server.mjs ./folder
 */
import { lstat, mkdir, readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { createServer, resourceLink, ToolError } from 'plumb-mcp/server';
import { z } from 'zod';

const MAX_BYTES = 1024 * 1024;
// The real path of the folder, so that a folder behind a link is compared with what files resolve to.
const root = await realpath(resolve(process.argv[2] ?? '.'));

const server = createServer({ name: 'files', version: '1.0.0' });
const path = z.string().describe('A path relative to the folder');

server.tool(
  'list_files',
  {
    description: 'Lists a folder',
    input: z.object({ path: path.default('.') }),
    annotations: { readOnlyHint: true },
  },
  async (input) => {
    const folder = await existing(input.path);
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  },
);

server.tool(
  'read_file',
  { description: 'Reads a text file', input: z.object({ path }), annotations: { readOnlyHint: true } },
  async (input) => {
    const file = await existing(input.path);
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new ToolError(`${input.path} has ${size} bytes; the limit is ${MAX_BYTES}`);
    return readFile(file, 'utf8');
  },
);

server.tool(
  'write_file',
  {
    description: 'Writes a text file, after the user has agreed to replace one',
    input: z.object({ path, text: z.string().max(MAX_BYTES) }),
    annotations: { destructiveHint: true, idempotentHint: true },
  },
  async (input, ctx) => {
    const file = await writable(input.path);
    if (await exists(file)) {
      const answer = await ctx.elicit(`Replace ${input.path}?`, z.object({ replace: z.boolean() }));
      if (answer.action !== 'accept' || !answer.content.replace) return 'Nothing was written';
    }
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, input.text);
    return resourceLink(`file://${file}`, input.path);
  },
);

/**
 * The real path of something that exists. Links are followed first and compared afterwards.
 *
 * @param {string} name
 */
async function existing(name) {
  const asked = inside(resolve(root, name), name);
  try {
    return inside(await realpath(asked), name);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(`There is no ${name}; use list_files to see what there is`);
  }
}

/**
 * A path to write to: its closest existing folder is inside, and it is no link itself.
 *
 * @param {string} name
 */
async function writable(name) {
  const file = inside(resolve(root, name), name);
  let folder = dirname(file);
  while (!(await exists(folder))) folder = dirname(folder);
  inside(await realpath(folder), name);
  const entry = await lstat(file).catch(() => undefined);
  if (entry !== undefined && !entry.isFile()) throw new ToolError(`${name} is not a file`);
  return file;
}

/**
 * @param {string} absolute
 * @param {string} name
 */
function inside(absolute, name) {
  const way = relative(root, absolute);
  if (way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way) {
    throw new ToolError(`${name} is outside of the folder`);
  }
  return absolute;
}

/** @param {string} file */
async function exists(file) {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}

await server.stdio();
