/** Lists the skills of a server, and loads the first: node examples/skills-server/reader.mjs */
import { fileURLToPath } from 'node:url';
import { connect } from 'plumb-mcp/client';

const server = fileURLToPath(new URL('./server.mjs', import.meta.url));
const client = await connect({ command: process.execPath, args: [server, ...process.argv.slice(2)] });

const skills = await client.skills.list();
for (const { uri, frontmatter } of skills) console.log(uri, '-', frontmatter.description);

// Only now is a file read; its size and digest are compared with the list.
const [first] = skills;
if (first !== undefined) {
  const { instructions } = await client.skills.load(first.uri);
  console.log(instructions.split('\n').find((line) => line.startsWith('#')) ?? instructions.slice(0, 80));
}
await client.close();
