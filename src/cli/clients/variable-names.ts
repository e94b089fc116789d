/** Clients that are given the names of variables, where others write references into the values. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import { writeEntry } from './dialect.js';
import { onlyReference, referencesIn, type ServerEntry } from './server-entry.js';

export function writeGoose(entry: ServerEntry, name: string): JsonObject {
  const common = { name, description: '', enabled: true, timeout: 300 };
  if (entry.kind !== 'stdio') {
    const { headers } = entry;
    return {
      type: 'streamable_http',
      uri: entry.url,
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...common,
    };
  }
  const { keys, rest } = passedOnVariables(entry.env, 'Goose');
  return {
    type: 'stdio',
    cmd: entry.command,
    args: entry.args,
    envs: rest,
    ...(keys.length === 0 ? {} : { env_keys: keys }),
    ...common,
  };
}

export function writeCodex(entry: ServerEntry): JsonObject {
  if (entry.kind === 'stdio') {
    const { keys, rest } = passedOnVariables(entry.env, 'Codex');
    const written = writeEntry({ ...entry, env: rest }, {});
    return keys.length === 0 ? written : { ...written, env_vars: keys };
  }
  const plain = Object.entries(entry.headers).filter(([, value]) => referencesIn(value).length === 0);
  const variables: Record<string, string> = {};
  let bearer: string | undefined;
  for (const [key, value] of Object.entries(entry.headers)) {
    if (referencesIn(value).length === 0) continue;
    const token = value.startsWith('Bearer ') ? onlyReference(value.slice('Bearer '.length)) : undefined;
    const whole = onlyReference(value);
    if (key.toLowerCase() === 'authorization' && token !== undefined) bearer = token;
    else if (whole !== undefined) variables[key] = whole;
    else
      throw new UsageError(`Codex takes a header from one variable; let "${key}" be nothing but a reference`);
  }
  return {
    url: entry.url,
    ...(bearer === undefined ? {} : { bearer_token_env_var: bearer }),
    ...(plain.length === 0 ? {} : { http_headers: Object.fromEntries(plain) }),
    ...(Object.keys(variables).length === 0 ? {} : { env_http_headers: variables }),
  };
}

/** Variables that keep their name; clients that only list names know no other way to pass one on. */
function passedOnVariables(
  env: Readonly<Record<string, string>>,
  client: string,
): { keys: string[]; rest: Record<string, string> } {
  const keys: string[] = [];
  const rest: Record<string, string> = {};
  for (const [key, value] of Object.entries(env)) {
    if (onlyReference(value) === key) keys.push(key);
    else if (referencesIn(value).length === 0) rest[key] = value;
    else
      throw new UsageError(
        `${client} passes variables on under their own name only; write --env ${key} instead of a reference in its value`,
      );
  }
  return { keys, rest };
}
