/** What describes a new project: to npm, to people, and to desktop clients that install bundles. */

import { SCAFFOLD_TOOLS, type ScaffoldChoices } from './choices.js';

const DESCRIPTION = 'An MCP server with notes';
const NODE = '>=20.19';

export function packageFile({ name, transport, plumbVersion, runsTypeScript }: ScaffoldChoices): string {
  const flags = transport === 'http' ? ' --stdio' : '';
  return json({
    name,
    version: '0.1.0',
    description: DESCRIPTION,
    type: 'module',
    private: true,
    engines: { node: NODE },
    bin: { [name.replace(/^@[^/]*\//, '')]: 'dist/main.js' },
    files: ['dist', '!dist/*.test.*'],
    scripts: {
      build: 'tsc',
      dev: `plumb dev -- node src/main.ts${flags}`,
      start: 'node dist/main.js',
      test: 'tsc && node --test dist/*.test.js',
      validate: `tsc && plumb validate --fail-on should -- node dist/main.js${flags}`,
      bundle: 'tsc && npx -y @anthropic-ai/mcpb pack',
    },
    dependencies: { 'plumb-mcp': `^${plumbVersion}`, zod: '^4.0.0' },
    devDependencies: {
      '@types/node': '^20.19.0',
      // Node 22.18 and later run TypeScript by themselves.
      ...(runsTypeScript ? {} : { tsx: '^4.20.0' }),
      typescript: '^5.9.0',
    },
  });
}

/** https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md */
export function manifestFile({ name, transport, features }: ScaffoldChoices): string {
  const args = [`\${__dirname}/dist/main.js`, ...(transport === 'http' ? ['--stdio'] : [])];
  return json({
    manifest_version: '0.3',
    name: name.replace(/^@/, '').replaceAll('/', '-'),
    version: '0.1.0',
    description: DESCRIPTION,
    author: { name: 'Your name' },
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: { command: 'node', args },
    },
    tools: SCAFFOLD_TOOLS,
    ...(features.includes('prompts')
      ? {
          prompts: [
            {
              name: 'summarize_notes',
              description: 'Asks for a summary of all notes',
              arguments: ['style'],
              text: `Write a \${arguments.style} summary of the notes`,
            },
          ],
        }
      : {}),
    compatibility: { runtimes: { node: NODE } },
  });
}

export function readmeFile({ name, transport, auth }: ScaffoldChoices): string {
  const flags = transport === 'http' ? ' --stdio' : '';
  return `# ${name}

${DESCRIPTION}, made with [Plumb](https://www.npmjs.com/package/plumb-mcp).

\`\`\`sh
npm install
npm run dev        # restarts on changes; the inspector shows every message
npm test           # src/server.test.ts
npm run validate   # tests the server against the specification
\`\`\`

| file | what it is |
|---|---|
| \`src/server.ts\` | the server: its tools, resources and prompts |
| \`src/main.ts\` | starts it${transport === 'http' ? ' over HTTP, or over stdio with `--stdio`' : ' over stdio'} |
| \`src/server.test.ts\` | tests, with a client in the same process |
| \`manifest.json\` | for \`npm run bundle\`, which makes an \`.mcpb\` file that desktop clients install |
| \`Dockerfile\` | a container with the compiled server |

Use it in your clients:

\`\`\`sh
npm run build
npx plumb add ${shortName(name)} --client all -- node dist/main.js${flags}
\`\`\`
${transport === 'http' ? httpSection(auth) : ''}`;
}

function httpSection(auth: boolean): string {
  const common = `
## Over HTTP

\`npm start\` listens at \`http://127.0.0.1:3000/mcp\`; \`PORT\` and \`HOST\` change that.`;
  if (!auth) {
    return `${common} Requests are answered only for hosts that are
named: behind a domain, set \`ALLOWED_HOSTS=mcp.example.com\`.
`;
  }
  return `${common}

Callers need a token of your authorization server. Set \`ISSUER\` to its URL, and \`RESOURCE\` to the URL that clients connect to
(tokens must have it as their audience).
`;
}

function shortName(name: string): string {
  return name.replace(/^@[^/]*\//, '');
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
