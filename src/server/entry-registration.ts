/** What an author holds of something that was registered, while the server runs. */

import type { AnySchema } from '../protocol/schema/infer.js';
import type { AnyKeptValues, KeptValues } from './buckets/bucket.js';
import type { PromptDefinition, PromptHandler } from './prompts.js';
import type { Registry } from './registry.js';
import type { ResourceDefinition, ResourceHandler } from './resources.js';
import type { ToolDefinition, ToolHandler } from './tools.js';

/** Something registered; `remove` takes it away again while the server runs. */
export interface Registration {
  remove(): boolean;
}

/** Something in a list. Each change is announced to clients; false says that the entry is no longer there. */
export interface EntryRegistration extends Registration {
  readonly isEnabled: boolean;
  /** Takes it off the list, and clients can no longer use it, until it is enabled again. */
  disable(): boolean;
  enable(): boolean;
}

export interface ToolRegistration<
  Input extends AnySchema,
  Output extends AnySchema | undefined,
  State extends object,
  Kept extends KeptValues = AnyKeptValues,
> extends EntryRegistration {
  /** Changes parts of the definition, and the handler where one is given. Calls under way go on as they began. */
  update<const NewInput extends AnySchema = Input, const NewOutput extends AnySchema | undefined = Output>(
    changes: Omit<ToolDefinition, 'input' | 'output'> & {
      readonly input?: NewInput | undefined;
      readonly output?: NewOutput | undefined;
    },
    handler?: ToolHandler<NewInput, NewOutput, State, Kept>,
  ): boolean;
}

export interface PromptRegistration<
  Input extends AnySchema,
  State extends object,
  Kept extends KeptValues = AnyKeptValues,
> extends EntryRegistration {
  update<const NewInput extends AnySchema = Input>(
    changes: Omit<PromptDefinition, 'input'> & { readonly input?: NewInput | undefined },
    handler?: PromptHandler<NewInput, State, Kept>,
  ): boolean;
}

export interface ResourceRegistration<
  Variables,
  State extends object,
  Kept extends KeptValues = AnyKeptValues,
> extends EntryRegistration {
  update(changes: ResourceDefinition, handler?: ResourceHandler<Variables, State, Kept>): boolean;
}

/** The compiler has compared changes and handler with what was registered; entries check the rest. */
interface Changeable<Entry> {
  /** The same with these changes. Throws when it could not be served. */
  changed(changes: object, handler: unknown): Entry;
}

type Updatable = EntryRegistration & { update(changes: object, handler?: unknown): boolean };

/** Adds the entry, and gives its author what changes it. */
export function registerEntry<Entry extends Changeable<Entry>>(
  registry: Registry<Entry>,
  name: string,
  first: Entry,
): Updatable {
  registry.add(name, first);
  let entry = first;
  return {
    get isEnabled() {
      return registry.get(name) === entry;
    },
    remove: () => registry.remove(name, entry),
    disable: () => registry.enable(name, entry, false),
    enable: () => registry.enable(name, entry, true),
    update: (changes, handler) => {
      if (!registry.holds(name, entry)) return false;
      const next = entry.changed(changes, handler);
      if (!registry.replace(name, next)) return false;
      entry = next;
      return true;
    },
  };
}
