/**
 * Serves a folder of skills: instructions that a model loads when it needs them. Edit a file, and clients are notified.
 *
 *   plumb list -- node examples/skills-server/server.mjs examples/skills
 */
import { fileURLToPath } from 'node:url';
import { createServer } from 'plumb-mcp/server';

const folder = process.argv[2] ?? fileURLToPath(new URL('../skills', import.meta.url));
const server = createServer({ name: 'skills', version: '1.0.0' });
await server.skills(folder, { onProblem: (problem) => console.error(problem) });
await server.stdio();
