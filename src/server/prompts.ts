/** Prompts: message templates with string arguments. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { CallState } from '../middleware/compose.js';
import { invalidParams } from '../protocol/errors.js';
import { lazily } from '../protocol/lazily.js';
import type { Icon, JsonSchema, Role } from '../protocol/model/base.js';
import type { ContentBlock } from '../protocol/model/content.js';
import type { Meta } from '../protocol/model/meta.js';
import type { GetPromptResult, Prompt, PromptArgument } from '../protocol/model/prompts.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { AnySchema, InferOutput } from '../protocol/schema/infer.js';
import { createSchema, describeIssues, type Schema } from '../protocol/schema/schema.js';
import type { AnyKeptValues, KeptValues } from './buckets/bucket.js';
import { type Completers, choiceCompleters } from './completion.js';
import type { CallContext, Context } from './context.js';
import { assertCompleted, assertHandler, listedInput } from './registration.js';
import { starting } from './repeat-warning.js';

/** What clients see of a prompt. */
export interface PromptDefinition<Input extends AnySchema = AnySchema> {
  /** The name for people. */
  readonly title?: string | undefined;
  /** What it does, for models and people. */
  readonly description?: string | undefined;
  /** Arguments; their values arrive as strings. None when absent. */
  readonly input?: Input | undefined;
  /** Completes arguments while the user types, by name. */
  readonly complete?: Completers | undefined;
  /** Pictures for lists of clients. */
  readonly icons?: Icon[] | undefined;
  /** Sent as `_meta` in lists. */
  readonly meta?: Meta | undefined;
}

/** A message of a prompt; a text stands for a text block. */
export interface ReturnedMessage {
  readonly role: Role;
  readonly content: ContentBlock | string;
}

export type PromptReturn =
  | string
  | ContentBlock
  | ReturnedMessage
  | readonly ReturnedMessage[]
  | (Omit<GetPromptResult, 'messages'> & { readonly messages: readonly ReturnedMessage[] });

/** Makes the messages of a prompt from its arguments. */
export type PromptHandler<
  Input extends AnySchema,
  State extends object = CallState,
  Kept extends KeptValues = AnyKeptValues,
> = (args: InferOutput<Input>, ctx: Context<State, Kept>) => PromptReturn | Promise<PromptReturn>;

const PROMPT_OPTIONS: OptionNames<PromptDefinition> = {
  title: true,
  description: true,
  input: true,
  complete: true,
  icons: true,
  meta: true,
};

const loadResults = lazily(() => import('./prompt-result.js'));

export class PromptEntry {
  readonly name: string;
  #complete: Completers | undefined;
  readonly #definition: PromptDefinition;
  readonly #handler: PromptHandler<AnySchema>;
  readonly #input: Schema;
  #shown: Prompt | undefined;

  constructor(name: string, definition: PromptDefinition, handler: PromptHandler<AnySchema>) {
    assertOptionNames(`Prompt "${name}"`, definition, PROMPT_OPTIONS);
    assertHandler('prompt', name, handler);
    this.name = name;
    this.#definition = definition;
    this.#handler = handler;
    this.#input = createSchema(definition.input ?? { type: 'object', properties: {} }, 'input');
  }

  /** Values of an argument that has a choice of them are completed without more. */
  get complete(): Completers {
    this.#complete ??= { ...choicesOf(this.#input), ...this.#definition.complete };
    return this.#complete;
  }

  changed(changes: object, handler: unknown): PromptEntry {
    const next = handler === undefined ? this.#handler : (handler as PromptHandler<AnySchema>);
    const entry = new PromptEntry(this.name, { ...this.#definition, ...changes }, next);
    entry.assertServable();
    return entry;
  }

  /** Describes the arguments; throws a RegistrationError that names the prompt and the place. */
  assertServable(): void {
    void this.shown;
  }

  get shown(): Prompt {
    if (this.#shown === undefined) {
      const { title, description, icons, meta } = this.#definition;
      const shown: Prompt = { name: this.name };
      if (title !== undefined) shown.title = title;
      if (description !== undefined) shown.description = description;
      const list = toArguments(listedInput('prompt', this.name, () => this.#input.json));
      const names = list.map(({ name }) => name);
      assertCompleted('prompt', this.name, this.#definition.complete ?? {}, names);
      if (list.length > 0) shown.arguments = list;
      if (icons !== undefined) shown.icons = icons;
      if (meta !== undefined) shown._meta = meta;
      this.#shown = shown;
    }
    return this.#shown;
  }

  async get(params: JsonObject, ctx: CallContext): Promise<GetPromptResult> {
    const args = params.arguments ?? {};
    if (!isRecord(args)) throw invalidParams('"arguments" must be an object');
    const { convertedArguments, promptResult } = await loadResults();
    const checked = await this.#input.check(convertedArguments(this.#input.json, args));
    if (checked.issues !== undefined) {
      throw invalidParams(`Invalid arguments for prompt "${this.name}": ${describeIssues(checked.issues)}`, {
        issues: checked.issues,
      });
    }
    const returned = await starting(ctx, () => this.#handler(checked.value, ctx));
    return promptResult(this.name, this.#definition.description, returned);
  }
}

/** One that cannot be described has been reported, and has no completion. */
function choicesOf(schema: Schema): Completers {
  try {
    return choiceCompleters(schema.json);
  } catch {
    return {};
  }
}

function toArguments(schema: JsonSchema): PromptArgument[] {
  if (!isRecord(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const argument: PromptArgument = { name };
    if (isRecord(property) && typeof property.title === 'string') argument.title = property.title;
    if (isRecord(property) && typeof property.description === 'string')
      argument.description = property.description;
    if (required.includes(name)) argument.required = true;
    return argument;
  });
}
