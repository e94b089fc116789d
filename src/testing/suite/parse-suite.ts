/** From what a test file holds to a suite. */

import { resolve } from 'node:path';
import type { TransportSource } from '../../client/target.js';
import { isRecord } from '../../jsonrpc/message.js';
import { findRevision, REVISIONS } from '../../protocol/revisions/index.js';
import type {
  CaseDefinition,
  CaseType,
  ProtocolDefinition,
  ServerDefinition,
  ServerReach,
  StepDefinition,
  Suite,
  SuiteSettings,
  TestedTransport,
} from './definition.js';
import { SuiteError, SuiteFields } from './fields.js';
import { parseAnswers, parseSnapshot, parseStep, STEP_FIELDS } from './parse-step.js';

const TEST_FIELDS: readonly string[] = [
  'name',
  'timeout',
  'maxRetries',
  'retries',
  'concurrency',
  'bail',
  'strict',
  'filter',
  'skip',
  'tags',
  'tools',
  'resources',
  'prompts',
  'requests',
  'scenarios',
  'protocol',
  'lock',
  'snapshot',
  'snapshotDir',
  'revisions',
  'transports',
  'answers',
  'values',
];

/** What generators and editors write beside the tests. */
const PAPERS: readonly string[] = ['$schema', 'description', 'metadata', 'capabilities'];
const TOP_FIELDS: readonly string[] = ['server', 'servers', 'env', 'tests', ...TEST_FIELDS, ...PAPERS];
const CASE_FIELDS: readonly string[] = [
  'name',
  'description',
  'server',
  'servers',
  'skip',
  'disabled',
  'only',
  'tags',
  'retries',
  'revisions',
];

const DEFAULT_TEST_TIMEOUT = 30_000;

export interface SuiteSource {
  readonly content: unknown;
  readonly file?: string | undefined;
  /** Where commands, snapshots and locks are relative to. Default: the current directory. */
  readonly directory?: string | undefined;
  /** Of the runner, such as UPDATE_SNAPSHOTS. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** A suite from the content of a test file; throws where a key is unknown or wrong. */
export function parseSuite({ content, file, directory, environment = {} }: SuiteSource): Suite {
  const top = new SuiteFields(content, '').known(TOP_FIELDS);
  const nested = top.has('tests');
  const tests = nested ? new SuiteFields(top.get('tests'), 'tests').known(TEST_FIELDS, PAPERS) : top;
  const base = directory ?? process.cwd();
  const cases = [
    ...casesOf(tests, 'tools', 'tool'),
    ...casesOf(tests, 'resources', 'resource'),
    ...casesOf(tests, 'prompts', 'prompt'),
    ...casesOf(tests, 'requests', 'request'),
    ...scenariosOf(tests),
  ];
  const { UPDATE_SNAPSHOTS, MCP_JEST_TIMEOUT } = environment;
  const fallback = Number(MCP_JEST_TIMEOUT) > 0 ? Number(MCP_JEST_TIMEOUT) : DEFAULT_TEST_TIMEOUT;
  const suite: Suite = {
    name: tests.text('name') ?? top.text('name') ?? file ?? 'tests',
    file,
    directory: base,
    servers: serversOf(top, base),
    settings: settingsOf(tests, base, fallback, UPDATE_SNAPSHOTS === 'true'),
    cases: withDefaultSnapshot(cases, tests),
    protocol: protocolOf(tests),
    values: tests.object('values') ?? {},
  };
  checkServerNames(suite);
  return suite;
}

function settingsOf(tests: SuiteFields, base: string, timeout: number, update: boolean): SuiteSettings {
  const lock = tests.text('lock');
  const revisions =
    tests.get('revisions') === 'all' ? REVISIONS.map(({ version }) => version) : tests.texts('revisions');
  for (const version of revisions) assertRevision(version, tests.place('revisions'));
  return {
    timeout: tests.duration('timeout') ?? timeout,
    retries: tests.count('retries') ?? tests.count('maxRetries') ?? 0,
    concurrency: Math.max(1, tests.count('concurrency') ?? 1),
    bail: tests.boolean('bail') ?? false,
    strict: tests.boolean('strict') ?? false,
    filter: tests.texts('filter'),
    skip: tests.texts('skip'),
    tags: tests.texts('tags'),
    snapshotDirectory: resolve(base, tests.text('snapshotDir') ?? '__snapshots__'),
    updateSnapshots: update,
    revisions,
    allRevisions: tests.get('revisions') === 'all',
    transports: tests.texts('transports').map((name) => transportName(name, tests.place('transports'))),
    answers: parseAnswers(tests.get('answers'), tests.place('answers')),
    lock: lock === undefined ? undefined : resolve(base, lock),
  };
}

function assertRevision(version: string, at: string): void {
  if (findRevision(version) !== undefined) return;
  const known = REVISIONS.map((revision) => revision.version).join(', ');
  throw new SuiteError(`${at}: "${version}" is not a protocol revision; known: ${known}`);
}

export function transportName(name: string, at: string): TestedTransport {
  switch (name) {
    case 'stdio':
    case 'sse':
    case 'memory':
      return name;
    case 'http':
    case 'streamable-http':
    case 'streamableHttp':
      return 'http';
    default:
      throw new SuiteError(
        `${at}: "${name}" is not a transport; use stdio, http (streamable-http), sse or memory`,
      );
  }
}

function casesOf(tests: SuiteFields, field: string, type: StepDefinition['kind']): CaseDefinition[] {
  const value = tests.get(field);
  const at = tests.place(field);
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => {
      if (typeof entry === 'string') return caseOf(entry, {}, type, `${at}[${index}]`);
      const subject = isRecord(entry) ? (entry[type === 'resource' ? 'uri' : type] ?? entry.name) : undefined;
      if (typeof subject !== 'string')
        throw new SuiteError(`${at}[${index}] must be a name, or an object with a name`);
      const { uri: _, [type]: __, ...rest } = isRecord(entry) ? entry : {};
      return caseOf(subject, rest, type, `${at}[${index}]`);
    });
  }
  if (!isRecord(value)) throw new SuiteError(`${at} must be a list of names, or an object`);
  return Object.entries(value).flatMap(([name, entry]) => {
    const place = `${at}[${JSON.stringify(name)}]`;
    if (!Array.isArray(entry)) return caseOf(name, entry ?? {}, type, place);
    return entry.flatMap((item, index) => {
      const own = isRecord(item) && typeof item.name === 'string' ? item.name : String(index + 1);
      return caseOf(
        name,
        isRecord(item) ? { ...item, name: `${name}: ${own}` } : item,
        type,
        `${place}[${index}]`,
      );
    });
  });
}

function caseOf(subject: string, entry: unknown, type: StepDefinition['kind'], at: string): CaseDefinition[] {
  // A text or a function alone is what is expected.
  const source = typeof entry === 'string' || typeof entry === 'function' ? { expect: entry } : entry;
  const more = type === 'request' ? ['method'] : [];
  const fields = new SuiteFields(source, at).known(CASE_FIELDS, STEP_FIELDS, more);
  const method = fields.text('method');
  if (type === 'request' && method === undefined) throw new SuiteError(`${at} needs a "method"`);
  const step = parseStep(fields, { kind: type, subject: method ?? subject });
  return [{ ...commonOf(fields, fields.text('name') ?? subject), type, steps: [step] }];
}

function commonOf(fields: SuiteFields, name: string): Omit<CaseDefinition, 'type' | 'steps'> {
  const skip = fields.get('skip') ?? fields.get('disabled');
  if (skip !== undefined && typeof skip !== 'boolean' && typeof skip !== 'string')
    throw new SuiteError(`${fields.place('skip')} must be true, or the reason`);
  const revisions = fields.texts('revisions');
  for (const version of revisions) assertRevision(version, fields.place('revisions'));
  return {
    name,
    description: fields.text('description'),
    tags: fields.texts('tags'),
    skip: typeof skip === 'string' ? skip : skip === true ? 'disabled in the file' : undefined,
    only: fields.boolean('only') ?? false,
    retries: fields.count('retries'),
    servers: [...fields.texts('server'), ...fields.texts('servers')],
    revisions,
  };
}

const KINDS: Readonly<Record<string, StepDefinition['kind']>> = {
  tool: 'tool',
  resource: 'resource',
  prompt: 'prompt',
  request: 'request',
};

function scenariosOf(tests: SuiteFields): CaseDefinition[] {
  const value = tests.get('scenarios');
  if (value === undefined) return [];
  const named: [string, unknown][] = isRecord(value)
    ? Object.entries(value).map(([name, entry]) => [name, Array.isArray(entry) ? { steps: entry } : entry])
    : Array.isArray(value)
      ? value.map((entry, index) => [
          isRecord(entry) ? String(entry.name ?? `scenario ${index + 1}`) : '',
          entry,
        ])
      : [];
  if (named.length === 0) throw new SuiteError(`${tests.place('scenarios')} must be a list or an object`);
  return named.map(([name, entry]) => {
    const at = `${tests.place('scenarios')}[${JSON.stringify(name)}]`;
    const fields = new SuiteFields(entry, at).known(CASE_FIELDS, ['steps']);
    const steps = fields.get('steps');
    if (!Array.isArray(steps) || steps.length === 0)
      throw new SuiteError(`${at}.steps must be a list of calls`);
    return {
      ...commonOf(fields, name),
      type: 'scenario' as const satisfies CaseType,
      steps: steps.map((step, index) => scenarioStep(step, `${at}.steps[${index}]`)),
    };
  });
}

function scenarioStep(value: unknown, at: string): StepDefinition {
  const fields = new SuiteFields(value, at).known(Object.keys(KINDS), STEP_FIELDS, ['name', 'description']);
  const kinds = Object.entries(KINDS).filter(([field]) => fields.has(field));
  const [chosen] = kinds;
  if (chosen === undefined || kinds.length > 1)
    throw new SuiteError(`${at} needs one of: ${Object.keys(KINDS).join(', ')}`);
  const [field, kind] = chosen;
  return parseStep(fields, { kind, subject: fields.text(field) ?? '' });
}

const PROTOCOL_FIELDS = ['level', 'areas', 'only', 'except', 'tools'];

function protocolOf(tests: SuiteFields): ProtocolDefinition | undefined {
  const value = tests.get('protocol');
  if (value === undefined || value === false) return undefined;
  const fields = new SuiteFields(value === true ? {} : value, tests.place('protocol')).known(PROTOCOL_FIELDS);
  const level = fields.text('level') ?? 'must';
  if (level !== 'must' && level !== 'should')
    throw new SuiteError(`${fields.place('level')} must be must or should`);
  const ids = (name: string): string[] => fields.texts(name).map((id) => id.padStart(3, '0'));
  return {
    level,
    areas: fields.texts('areas'),
    only: ids('only'),
    except: exceptions(fields),
    tools: fields.texts('tools'),
  };
}

/** Numbers of requirements, or an object of numbers and reasons. */
function exceptions(fields: SuiteFields): ReadonlyMap<string, string> {
  const entries: [string, string][] = isRecord(fields.get('except'))
    ? Object.entries(fields.textMap('except'))
    : fields.texts('except').map((id) => [id, 'left out by the file']);
  return new Map(entries.map(([id, reason]) => [id.padStart(3, '0'), reason]));
}

function serversOf(top: SuiteFields, base: string): ServerDefinition[] {
  const env = top.textMap('env');
  if (top.has('servers')) {
    const servers = Object.entries(top.object('servers') ?? {});
    return servers.map(([name, value]) => ({ name, reach: parseReach(value, `servers.${name}`, base, env) }));
  }
  if (!top.has('server')) return [];
  return [{ name: 'server', reach: parseReach(top.get('server'), 'server', base, env) }];
}

const SERVER_FIELDS = ['command', 'args', 'env', 'cwd', 'transport', 'url', 'headers', 'type'];

/** A URL, a name, or an object as configuration files have it; in code also a server of this process. */
function parseReach(
  value: unknown,
  at: string,
  base: string,
  env: Readonly<Record<string, string>> = {},
): ServerReach {
  if (typeof value === 'string')
    return /^https?:\/\//i.test(value)
      ? { kind: 'url', url: value, headers: {}, transport: 'http', command: undefined }
      : { kind: 'name', name: value };
  if (isSource(value)) return { kind: 'object', source: value };
  const fields = new SuiteFields(value, at).known(SERVER_FIELDS);
  const named = fields.text('transport') ?? fields.text('type');
  const transport = named === undefined ? undefined : transportName(named, fields.place('transport'));
  const command = fields.text('command');
  const url = fields.text('url');
  const started: Extract<ServerReach, { kind: 'command' }> | undefined =
    command === undefined
      ? undefined
      : {
          kind: 'command',
          command,
          args: fields.texts('args'),
          env: { ...env, ...fields.textMap('env') },
          cwd: resolve(base, fields.text('cwd') ?? '.'),
          inheritEnv: true,
        };
  if (url !== undefined && transport !== 'stdio') {
    if (!URL.canParse(url))
      throw new SuiteError(`${fields.place('url')}: ${JSON.stringify(url)} is not a URL`);
    return {
      kind: 'url',
      url,
      headers: fields.textMap('headers'),
      transport: transport === 'sse' ? 'sse' : 'http',
      command: started,
    };
  }
  if (started === undefined) throw new SuiteError(`${at} needs a "command" or a "url"`);
  return started;
}

function isSource(value: unknown): value is TransportSource {
  return isRecord(value) && typeof value.transport === 'function';
}

/** A snapshot setting of the whole suite is for every case that has none of its own. */
function withDefaultSnapshot(
  cases: readonly CaseDefinition[],
  tests: SuiteFields,
): readonly CaseDefinition[] {
  const snapshot = parseSnapshot(tests.get('snapshot'), tests.place('snapshot'));
  if (snapshot === undefined) return cases;
  return cases.map((each) => ({
    ...each,
    steps: each.steps.map((step) => ({ ...step, snapshot: step.snapshot ?? snapshot })),
  }));
}

function checkServerNames({ servers, cases }: Suite): void {
  const names = new Set(servers.map(({ name }) => name));
  for (const { name, servers: wanted } of cases) {
    const stray = wanted.find((candidate) => !names.has(candidate));
    if (stray !== undefined && names.size > 0)
      throw new SuiteError(
        `"${name}" is for the server "${stray}", which is not one of: ${[...names].join(', ')}`,
      );
  }
}
