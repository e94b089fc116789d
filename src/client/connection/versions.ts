/** Which revision to speak, from what the server says it speaks; and how the server introduces itself. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { parseImplementation } from '../../protocol/implementation.js';
import { META_SERVER_INFO } from '../../protocol/model/meta.js';
import type { Revision } from '../../protocol/revisions/index.js';
import { parseServerCapabilities } from './capabilities.js';
import type { ClientSession } from './lifecycle/era.js';

/** Revisions are ordered oldest first; servers list theirs in any order. */
function newest(
  versions: readonly string[],
  allowed: readonly Revision[],
  lifecycle: Revision['lifecycle'],
): Revision | undefined {
  return allowed.findLast(
    (revision) => revision.lifecycle === lifecycle && versions.includes(revision.version),
  );
}

export function chooseStateless(
  versions: readonly string[],
  allowed: readonly Revision[],
): Revision | undefined {
  return newest(versions, allowed, 'stateless');
}

export function chooseHandshake(
  versions: readonly string[],
  allowed: readonly Revision[],
): Revision | undefined {
  return newest(versions, allowed, 'handshake');
}

/** The versions that an error names as supported. */
export function namedVersions(data: unknown): readonly string[] {
  return isRecord(data) ? strings(data.supported) : [];
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function noCommonRevision(
  theirs: readonly string[],
  ours: readonly Revision[],
  cause?: unknown,
): McpError<'no_common_revision'> {
  const supported = ours.map((revision) => revision.version).join(', ');
  return new McpError(
    'no_common_revision',
    `The server speaks ${theirs.join(', ') || 'no protocol revision that it names'}, this client ${supported}; ` +
      'widen the revisions option, or use another version of the server',
    cause === undefined ? {} : { cause },
  );
}

export interface Discovery {
  readonly versions: readonly string[];
  readonly described: Omit<ClientSession, 'revision'>;
}

/** `undefined` for what is no DiscoverResult: some servers answer anything with an empty object. */
export function parseDiscovery(result: JsonObject): Discovery | undefined {
  const { resultType, supportedVersions, capabilities, instructions, _meta } = result;
  if (resultType !== undefined && resultType !== 'complete') return undefined;
  if (!Array.isArray(supportedVersions)) return undefined;
  return {
    versions: strings(supportedVersions),
    described: {
      server: isRecord(_meta) ? parseImplementation(_meta[META_SERVER_INFO]) : undefined,
      capabilities: parseServerCapabilities(capabilities),
      instructions: typeof instructions === 'string' ? instructions : undefined,
    },
  };
}

/** `undefined` for what is no InitializeResult. */
export function parseInitialized(
  result: JsonObject,
): { readonly version: string; readonly described: Omit<ClientSession, 'revision'> } | undefined {
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (typeof protocolVersion !== 'string') return undefined;
  return {
    version: protocolVersion,
    described: {
      server: parseImplementation(serverInfo),
      capabilities: parseServerCapabilities(capabilities),
      instructions: typeof instructions === 'string' ? instructions : undefined,
    },
  };
}
