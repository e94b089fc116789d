/** An entry as one client gets it: secrets as references where the client replaces them, as values elsewhere. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import type { ClientDefinition } from './client-definition.js';
import { mapTexts, plainSecrets, referencesIn, type ServerEntry, withValues } from './server-entry.js';

export interface EntryForClient {
  readonly written: JsonObject;
  readonly warnings: readonly string[];
}

export function entryFor(
  client: ClientDefinition,
  name: string,
  entry: ServerEntry,
  environment: Readonly<Record<string, string | undefined>>,
): EntryForClient {
  if (!client.transports.includes(entry.kind)) throw new UsageError(unsupported(client, entry));
  assertNoInputs(client, entry);
  const spelled = new Set<string>();
  const otherwise = `because ${client.name} does not read variables there`;
  const withValue = (text: string): string => {
    for (const variable of referencesIn(text)) spelled.add(variable);
    return text;
  };
  let ready = entry;
  if (client.references === 'nowhere') ready = withValues(mapTexts(entry, withValue), environment, otherwise);
  else if (client.references === 'env') {
    const { env, ...rest } = entry.kind === 'stdio' ? entry : { ...entry, env: undefined };
    const resolved = withValues(
      mapTexts(rest.kind === 'stdio' ? { ...rest, env: {} } : rest, withValue),
      environment,
      otherwise,
    );
    ready = resolved.kind === 'stdio' ? { ...resolved, env: env ?? {} } : resolved;
  }
  const warnings = [...spelled].map(
    (variable) =>
      `${client.name} does not read environment variables there, so the value of ${variable} is written to its file as plain text`,
  );
  const secrets = plainSecrets(entry).map((field) =>
    entry.kind === 'stdio'
      ? `${field} is written to the file of ${client.name} as plain text; --env ${field} (without a value) writes a reference`
      : `${field} is written to the file of ${client.name} as plain text; --header '${field}: \${NAME}' writes a reference`,
  );
  return { written: client.write(ready, name), warnings: [...warnings, ...secrets] };
}

/** VS Code asks for `${input:ID}`; other clients would send it as it stands. */
function assertNoInputs(client: ClientDefinition, entry: ServerEntry): void {
  const [input] = /\$\{input:[^}]*\}/.exec(JSON.stringify(entry)) ?? [];
  if (input === undefined || client.id === 'vscode') return;
  const flag = entry.kind === 'stdio' ? '--env NAME' : "--header 'Name: value'";
  throw new UsageError(`The entry uses ${input}, which only VS Code asks for; give the value with ${flag}`);
}

function unsupported(client: ClientDefinition, entry: ServerEntry): string {
  const kinds = client.transports.join(', ');
  const what = `${client.name} does not take servers of type ${entry.kind} in its file (only ${kinds})`;
  if (entry.kind === 'stdio') return `${what}; see ${client.documentation}`;
  return `${what}; add it in the application, or give a command that connects: -- npx -y mcp-remote ${entry.url}`;
}
