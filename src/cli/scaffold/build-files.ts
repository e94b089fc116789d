/** How a new project is compiled, packed and checked. */

import type { ScaffoldChoices } from './choices.js';

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
    strict: true,
    noUncheckedIndexedAccess: true,
    // So that Node runs the sources as they are: node src/main.ts
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
  },
  include: ['src'],
};

export function buildFiles(choices: ScaffoldChoices): [path: string, text: string][] {
  return [
    ['tsconfig.json', `${JSON.stringify(TSCONFIG, null, 2)}\n`],
    ['.gitignore', 'node_modules/\ndist/\n*.mcpb\n'],
    ['.dockerignore', 'node_modules/\ndist/\n.git/\n'],
    ['.mcpbignore', 'src/\n.github/\nDockerfile\n.dockerignore\ntsconfig.json\ndist/*.test.js\n'],
    ['Dockerfile', dockerfile(choices)],
    ['.github/workflows/ci.yml', WORKFLOW],
  ];
}

function dockerfile({ transport }: ScaffoldChoices): string {
  const serve = transport === 'http' ? 'ENV HOST=0.0.0.0 PORT=3000\nEXPOSE 3000\n' : '';
  return `FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
${serve}USER node
CMD ["node", "dist/main.js"]
`;
}

const WORKFLOW = `name: CI
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix:
        node: [20, 22, 24]
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: \${{ matrix.node }}
          cache: npm
      - run: npm ci
      - run: npm test
      - run: npm run validate
`;
