/**
 * Which room of src/ may import which: the arrows of docs/architecture.md, checked.
 * A room may always import itself; what is not listed is forbidden, also for types.
 */
const foundation = ['jsonrpc', 'protocol'];
const wire = [...foundation, 'framing', 'transports'];
const side = [...wire, 'middleware', 'store', 'auth', 'extensions'];
const both = [...side, 'server', 'client'];

const rooms = {
  jsonrpc: [],
  protocol: ['jsonrpc'],
  framing: foundation,
  transports: [...foundation, 'framing', 'store'],
  middleware: foundation,
  store: foundation,
  auth: [...foundation, 'transports', 'store'],
  extensions: [...foundation, 'store'],
  server: side,
  client: side,
  validate: wire,
  chain: both,
  adapters: [...foundation, 'middleware', 'client'],
  testing: [...both, 'chain', 'validate'],
  inspector: [...both, 'chain', 'validate'],
  cli: [...both, 'chain', 'validate', 'testing', 'inspector'],
};

/** Where Node is the point. */
const nodeOnly = [
  'transports/stdio/',
  'transports/http/(client/|server/)?node[^/]*\\.ts$',
  'store/redis',
  'auth/node[^/]*\\.ts$',
  'auth/[^/]+/node[^/]*\\.ts$',
  '(chain|server|client)/node[^/]*\\.ts$',
  'chain/servers/node[^/]*\\.ts$',
  '(testing|validate|cli)/',
  'inspector/(?!web/|api/|api\\.ts$)',
];

/** The inspector's page, which runs in browsers, and the types that it shares with the process. */
const page = '^src/inspector/web/';
const contract = '^src/inspector/api(/|\\.ts$)';

/** Everything else runs on any runtime with fetch. */
const anyRuntime = { path: '^src/', pathNot: nodeOnly.map((place) => `^src/${place}`) };

const insideAnyRoom = `^src/(${Object.keys(rooms).join('|')})/`;

const directions = Object.entries(rooms).map(([room, allowed]) => ({
  name: `${room}-imports`,
  comment:
    allowed.length === 0 ? `${room} imports no other room` : `${room} imports only ${allowed.join(', ')}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(${[room, ...allowed].join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...directions,
    {
      name: 'unknown-room',
      comment: 'every file is in a room listed here, except the package entry',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: insideAnyRoom },
    },
    {
      name: 'unknown-room-importer',
      comment: 'every file is in a room listed here, except the package entry',
      severity: 'error',
      from: { path: '^src/', pathNot: `${insideAnyRoom}|^src/index\\.ts$` },
      to: {},
    },
    {
      name: 'entry-without-cli',
      comment: 'the package entry does not import the command line',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'foundation-without-packages',
      comment:
        'jsonrpc and protocol import no packages; only protocol/schema holds the JSON Schema validators',
      severity: 'error',
      from: { path: '^src/(jsonrpc|protocol)/', pathNot: '^src/protocol/schema/' },
      to: { pathNot: '^src/' },
    },
    {
      name: 'node-only-where-node-is-the-point',
      comment: 'node:* and cross-spawn only in the files listed as nodeOnly',
      severity: 'error',
      from: anyRuntime,
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'spawn-only-where-node-is-the-point',
      comment: 'node:* and cross-spawn only in the files listed as nodeOnly',
      severity: 'error',
      from: anyRuntime,
      to: { path: 'node_modules/(@types/)?cross-spawn/' },
    },
    {
      name: 'light-server-and-client',
      comment: 'the command line, its parsers and OAuth are not reachable from server or client',
      severity: 'error',
      from: { path: '^src/(server|client)/' },
      to: { path: '^src/cli/|node_modules/(commander|jose|oauth4webapi)/', reachable: true },
    },
    {
      name: 'lazy-yaml',
      comment: 'server and client parse YAML only for skills, and load the parser only then',
      severity: 'error',
      from: {
        path: '^src/(server|client|extensions)/',
        pathNot: '^src/(server/node|extensions/skills/manifest\\.ts$)',
      },
      to: { path: '^src/extensions/skills/manifest\\.ts$|node_modules/yaml/', dynamic: false },
    },
    {
      name: 'page-imports',
      comment: 'the page imports itself, the contract and the vocabulary, and nothing imports the page',
      severity: 'error',
      from: { path: page },
      to: { path: '^src/', pathNot: [page, contract, '^src/(jsonrpc|protocol)/'] },
    },
    {
      name: 'page-importers',
      comment: 'the page imports itself, the contract and the vocabulary, and nothing imports the page',
      severity: 'error',
      from: { path: '^src/', pathNot: page },
      to: { path: page },
    },
    {
      name: 'contract-imports',
      comment: 'the contract of page and process holds types of the protocol, and no code',
      severity: 'error',
      from: { path: contract },
      to: { path: '^src/', pathNot: [contract, '^src/(jsonrpc|protocol)/'] },
    },
    {
      name: 'no-cycles',
      comment: 'no circular imports; cycles through a type-only import are fine',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only', 'type-import'] } },
    },
    {
      name: 'declared-packages',
      comment:
        'src imports only packages that are installed with ours, types included: they reach our .d.ts files',
      severity: 'error',
      // What the page needs is bundled into it.
      from: { path: '^src/', pathNot: page },
      // An optional peer is a development dependency too: that is how its tests get it. The build inlines the others.
      to: {
        pathNot:
          'node_modules/(@cfworker/json-schema|ajv|eventsource-parser|jsonc-parser|re2js|smol-toml|yaml)/',
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
    {
      name: 'own-sources',
      comment: 'src imports itself by relative path, not through the package name',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^dist/' },
    },
    {
      name: 'resolvable',
      comment: 'every import resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
    },
  },
};
