/** What an author registers: refused at once where it can be seen not to work, by name and place. */

import { isRecord } from '../jsonrpc/message.js';
import { McpError } from '../protocol/errors.js';
import type { JsonSchema, ObjectSchema } from '../protocol/model/base.js';
import { isWorker } from '../protocol/runtime.js';
import { objectRoot } from '../protocol/schema/object-root.js';
import { findSchemaProblem, type SchemaProblem } from '../protocol/schema/schema-problem.js';
import { isStandardSchema } from '../protocol/schema/standard-schema.js';

/** Something registered that cannot be served. The message names it, the place, and what to do. */
export class RegistrationError extends McpError<'invalid_registration'> {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('invalid_registration', message, options);
  }
}

type Kind = 'tool' | 'prompt';

/** The schema of arguments as it is listed. */
export function listedInput(kind: Kind, name: string, describe: () => JsonSchema): ObjectSchema {
  const schema = listedSchema(kind, name, 'input', describe);
  const root = objectRoot(schema);
  if (root.ok) return root.schema;
  // The official SDK takes the fields alone.
  const hint = Object.values(schema).some(isStandardSchema)
    ? '; it is a set of fields, so make an object of them: z.object({ ... })'
    : '';
  throw unusable(kind, name, 'input', { ...root, message: root.message + hint });
}

export function listedSchema(
  kind: Kind,
  name: string,
  direction: 'input' | 'output',
  describe: () => JsonSchema,
): JsonSchema {
  const schema = described(kind, name, direction, describe);
  const problem = findSchemaProblem(schema);
  if (problem === undefined) return schema;
  throw unusable(kind, name, direction, problem);
}

function described(
  kind: Kind,
  name: string,
  direction: 'input' | 'output',
  describe: () => JsonSchema,
): JsonSchema {
  try {
    return describe();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Without the cause: its message is here, and its stack would bury it where a program ends with this error.
    throw new RegistrationError(`The ${direction} schema of ${kind} "${name}" is not usable: ${reason}`);
  }
}

function unusable(
  kind: Kind,
  name: string,
  direction: string,
  { path, message }: SchemaProblem,
): RegistrationError {
  const place = path === '' ? 'its root' : path;
  return new RegistrationError(
    `The ${direction} schema of ${kind} "${name}" is not usable: ${place} ${message}`,
  );
}

export function assertHandler(kind: string, name: string, handler: unknown): void {
  if (typeof handler === 'function') return;
  throw new TypeError(
    `The ${kind} "${name}" has no handler; pass a function as the last argument, after the definition`,
  );
}

/** A completion for a name that does not exist is never asked for. */
export function assertCompleted(
  kind: 'resource' | 'prompt',
  name: string,
  complete: object,
  names: readonly string[],
): void {
  const stray = Object.keys(complete).find((key) => !names.includes(key));
  if (stray === undefined) return;
  const what = kind === 'prompt' ? 'argument' : 'variable';
  const known = names.length === 0 ? `it has no ${what}s` : `its ${what}s are ${names.join(', ')}`;
  throw new RegistrationError(`The ${kind} "${name}" completes "${stray}", which it does not have; ${known}`);
}

/** One error for everything that a server cannot serve, so that it can all be repaired at once. */
export function assertAllServable(entries: readonly { assertServable(): void }[]): void {
  const problems: RegistrationError[] = [];
  for (const entry of entries) {
    try {
      entry.assertServable();
    } catch (error) {
      if (!(error instanceof RegistrationError)) throw error;
      problems.push(error);
    }
  }
  if (problems.length > 0) throw joined(problems);
}

function joined(problems: readonly RegistrationError[]): RegistrationError {
  const [first] = problems;
  if (first !== undefined && problems.length === 1) return first;
  const lines = problems.map(({ message }) => `- ${message}`).join('\n');
  return new RegistrationError(`${problems.length} registrations cannot be served:\n${lines}`);
}

/** A task goes on after the answer to its call, which a Worker does not allow. */
export function assertTaskRuns({
  name,
  taskSupport,
}: {
  readonly name: string;
  readonly taskSupport: string;
}): void {
  if (taskSupport !== 'required' || !isWorker()) return;
  throw new RegistrationError(
    `Tool "${name}" runs as a task only, and a Worker ends what goes on after an answer; set its task support to ` +
      '"optional", which makes it an ordinary tool here, or serve it on Node, Bun or Deno',
  );
}

/** What a tool says about tasks is sent to clients as it is. */
export function assertTask(name: string, task: unknown = 'never'): void {
  const support = isRecord(task) ? task.support : task;
  const levels: readonly unknown[] = ['optional', 'required', 'never'];
  if (levels.includes(support)) return;
  throw new TypeError(`The task of tool "${name}" must be ${levels.join(' or ')}, not ${String(support)}`);
}
