/**
 * `server.json` of the MCP registry: how to start a package, or where the server is.
 * https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
 */

import { readFileSync } from 'node:fs';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import type { ServerEntry } from './server-entry.js';

export interface RegistryServer {
  /** The last part of the name in the registry. */
  readonly name: string;
  readonly entry: ServerEntry;
  /** Variables and headers that the server needs and the file gives no value for. */
  readonly missing: readonly string[];
}

export function readRegistryServer(path: string): RegistryServer {
  let document: unknown;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`Cannot read ${path} as a server.json file: ${reason}`, { cause });
  }
  return parseRegistryServer(document, path);
}

export function parseRegistryServer(document: unknown, path: string): RegistryServer {
  if (!isRecord(document) || typeof document.name !== 'string') {
    throw new UsageError(`${path} has no "name", so it is not a server.json file of the MCP registry`);
  }
  const name = document.name.split('/').at(-1) ?? document.name;
  const [ready] = records(document.packages).filter(({ registryType }) => PROGRAMS.has(String(registryType)));
  if (ready !== undefined) return { name, ...packageEntry(ready, path) };
  const [remote] = records(document.remotes);
  if (remote !== undefined) return { name, ...remoteEntry(remote, path) };
  throw new UsageError(
    `${path} has no package of npm, PyPI or a container registry, and no remote; give the command after -- instead`,
  );
}

type Found = Pick<RegistryServer, 'entry' | 'missing'>;

/** How a package of each registry is started. */
const PROGRAMS: ReadonlyMap<string, (identifier: string, version: string | undefined) => [string, string[]]> =
  new Map([
    [
      'npm',
      (identifier, version) => [
        'npx',
        ['-y', version === undefined ? identifier : `${identifier}@${version}`],
      ],
    ],
    [
      'pypi',
      (identifier, version) => ['uvx', [version === undefined ? identifier : `${identifier}@${version}`]],
    ],
    // The identifier of an image has its tag or digest.
    ['oci', (identifier) => ['docker', ['run', '-i', '--rm', identifier]]],
  ]);

function packageEntry(found: JsonObject, path: string): Found {
  const { registryType, identifier, version, transport } = found;
  const start = PROGRAMS.get(String(registryType));
  if (start === undefined || typeof identifier !== 'string')
    throw new UsageError(`${path}: a package needs an "identifier"`);
  if (isRecord(transport) && transport.type !== undefined && transport.type !== 'stdio') {
    throw new UsageError(
      `${path}: the package serves ${String(transport.type)} at a URL of its own; start it, and give that URL`,
    );
  }
  const [command, words] = start(identifier, typeof version === 'string' ? version : undefined);
  const { values, missing } = valuesOf(records(found.environmentVariables));
  const runtime = argumentsOf(found.runtimeArguments);
  const environment = registryType === 'oci' ? Object.keys(values).flatMap((name) => ['-e', name]) : [];
  // Options of the runtime stand before the package.
  const args = [
    ...words.slice(0, -1),
    ...runtime,
    ...environment,
    ...words.slice(-1),
    ...argumentsOf(found.packageArguments),
  ];
  return { entry: { kind: 'stdio', command, args, env: values }, missing };
}

function remoteEntry({ type, url, headers }: JsonObject, path: string): Found {
  if (typeof url !== 'string') throw new UsageError(`${path}: a remote needs a "url"`);
  const { values, missing } = valuesOf(records(headers));
  return { entry: { kind: type === 'sse' ? 'sse' : 'http', url, headers: values }, missing };
}

/** A secret without a value becomes a reference to a variable of the same name. */
function valuesOf(inputs: readonly JsonObject[]): { values: Record<string, string>; missing: string[] } {
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const { name, value, default: fallback, isSecret, isRequired } of inputs) {
    if (typeof name !== 'string') continue;
    const given = value ?? fallback;
    if (given !== undefined)
      values[name] = String(given).replaceAll(
        /(?<!\$)\{([A-Za-z_]\w*)\}/g,
        (_whole, key: string) => `\${${key.toUpperCase()}}`,
      );
    else if (isSecret === true && isRequired === true) values[name] = `\${${variableName(name)}}`;
    else if (isRequired === true) missing.push(name);
  }
  return { values, missing };
}

/** `X-Api-Key` as a name of a variable. */
function variableName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : name.toUpperCase().replaceAll(/\W/g, '_');
}

function argumentsOf(list: unknown): string[] {
  return records(list).flatMap(({ type, name, value, default: fallback, isRequired, valueHint }) => {
    const given = value ?? fallback;
    if (type === 'named') return given === undefined ? [String(name)] : [String(name), String(given)];
    if (given !== undefined) return [String(given)];
    if (isRequired !== true) return [];
    throw new UsageError(
      `The server needs the argument "${String(valueHint ?? name)}"; give the whole command after -- instead`,
    );
  });
}

function records(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
