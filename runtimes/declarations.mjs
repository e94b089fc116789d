/** The declarations of the package, as a project reads them that has no `@types/node`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish } from './processes.mjs';

const root = join(import.meta.dirname, '..');

const SOURCE = `import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';

const server = createServer({ name: 'typed', version: '1.0.0' });
server.tool(
  'add',
  { input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } },
  ({ a }, ctx) => \`\${a.toFixed(1)} \${ctx.signal.aborted}\`,
);

export default { fetch: server.fetch };

export async function use(): Promise<string> {
  const client = await connect('https://example.com/mcp');
  const result = await client.tools.call('add', { a: 1 });
  await client.close();
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
`;

/** Web pages, and Workers with types of their own (here: none but those of the language). */
const PROJECTS = [
  { name: 'es2022-dom', lib: ['ES2022', 'DOM', 'DOM.Iterable'] },
  { name: 'es2022-webworker', lib: ['ES2022', 'WebWorker', 'WebWorker.Iterable'] },
];

/**
 * @param {string} folder  where the package is installed
 * @returns {Promise<{ checked: number, problems: string[] }>}
 */
export async function checkDeclarations(folder) {
  const typescript = join(root, 'node_modules', '@typescript', 'native');
  const { bin } = JSON.parse(readFileSync(join(typescript, 'package.json'), 'utf8'));
  const problems = [];
  for (const { name, lib } of PROJECTS) {
    const project = join(folder, name);
    mkdirSync(project);
    writeFileSync(join(project, 'index.ts'), SOURCE);
    const compilerOptions = {
      target: 'ES2022',
      module: 'ESNext',
      moduleResolution: 'bundler',
      lib,
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['index.ts'] }, undefined, 2),
    );
    const { code, stdout } = await finish(process.execPath, [join(typescript, bin.tsc), '-p', project], {
      cwd: folder,
    });
    if (code !== 0) problems.push(`The declarations do not compile with ${lib.join(', ')}:\n${stdout}`);
  }
  return { checked: PROJECTS.length - problems.length, problems };
}
