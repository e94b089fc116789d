/** An extension as a client uses it: typed requests, notifications and listen filters. */

import type {
  CheckedResult,
  Extension,
  ExtensionNotificationParams,
  ExtensionShape,
  FilterName,
  FilterValue,
  MethodName,
  MethodParams,
  NotificationName,
  ServerSettings,
} from '../../extensions/extension.js';
import { checkSettings, declaredSettings } from '../../extensions/negotiation.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { McpError } from '../../protocol/errors.js';
import type { AnySchema } from '../../protocol/schema/infer.js';
import { createSchema, describeIssues } from '../../protocol/schema/schema.js';
import type { Core } from '../core.js';
import { invalidResult, notSupported } from '../errors.js';
import type { CallOptions, FollowedCall } from '../options.js';

export class ClientExtension<Shape extends ExtensionShape> {
  readonly #core: Core;
  readonly #extension: Extension<Shape>;

  constructor(core: Core, extension: Extension<Shape>) {
    this.#core = core;
    this.#extension = extension;
  }

  /** Whether the server declares the extension. */
  get isDeclared(): boolean {
    return this.#declared !== undefined;
  }

  /** What the server declares of it, checked; undefined where it does not. */
  async settings(): Promise<ServerSettings<Shape> | undefined> {
    const declared = this.#declared;
    if (declared === undefined) return undefined;
    const { id, settings } = this.#extension;
    const checked = await checkSettings(declared, settings?.server);
    if (checked.problem !== undefined)
      throw invalidResult(id, `the settings that the server declares are invalid: ${checked.problem}`);
    return checked.settings as ServerSettings<Shape>;
  }

  /** Calls a method of the extension. The result is checked against its schema. */
  async request<Method extends MethodName<Shape>>(
    method: Method,
    params: MethodParams<Shape, Method>,
    options: CallOptions = {},
  ): Promise<CheckedResult<Shape, Method>> {
    if (!this.#core.isReady) await this.#core.ready(method, options);
    const refusal = this.#refusal(method);
    if (refusal !== undefined) throw refusal;
    const result = await this.#core.request({
      method,
      params: isRecord(params) ? params : {},
      options,
      raw: true,
      read: (given) => given,
    });
    const schema = this.#extension.methods?.[method]?.result;
    return (await checkResult(method, schema, result)) as CheckedResult<Shape, Method>;
  }

  /** Hears a notification of the extension, until the function returned is called. */
  on<Name extends NotificationName<Shape>>(
    name: Name,
    handler: (params: ExtensionNotificationParams<Shape, Name>) => unknown,
  ): () => void {
    const source = this.#extension.notifications?.[name];
    const schema = source === undefined ? undefined : createSchema(source, 'output');
    return this.#core.on('notification', async ({ method, params }) => {
      if (method !== name) return;
      const checked = schema === undefined ? { value: params } : await schema.check(params);
      if (checked.issues === undefined) {
        await handler(checked.value as ExtensionNotificationParams<Shape, Name>);
        return;
      }
      const message = `${name} does not match its schema: ${describeIssues(checked.issues)}; it is ignored`;
      this.#core.fault({ kind: 'deviation', message });
    });
  }

  /** Has the server report what the filter names, on the listen stream, until the function returned is called. */
  async listen<Field extends FilterName<Shape>>(
    field: Field,
    value: FilterValue<Shape, Field>,
  ): Promise<() => Promise<void>> {
    const use = `"${field}" of subscriptions/listen`;
    if (!this.#core.isReady) await this.#core.ready(use, {});
    const refusal = this.#refusal(use);
    if (refusal !== undefined) throw refusal;
    if (this.#core.connection.era.session.revision.changes !== 'listen')
      throw notSupported(
        `The protocol revision in use has no listen streams, so ${field} cannot be filtered`,
        'ask the server instead',
      );
    const remove = this.#core.extensionFilters.add(field, value);
    await this.#core.connection.era.feed.sync();
    return async () => {
      remove();
      if (this.#core.isReady) await this.#core.connection.era.feed.sync();
    };
  }

  /**
   * Says how a call goes on that was answered with a result type of this extension: `follow` returns the result that
   * the caller gets.
   */
  onResult(
    resultType: keyof NonNullable<Shape['resultTypes']> & string,
    follow: (result: JsonObject, call: FollowedCall) => Promise<JsonObject>,
  ): void {
    const methods = this.#extension.resultTypes?.[resultType] ?? [];
    this.#core.settings.resultTypes.set(resultType, { methods, follow });
  }

  get #declared(): JsonObject | undefined {
    return declaredSettings(this.#core.connection.era.session.capabilities, this.#extension.id);
  }

  #refusal(use: string): McpError<'not_supported'> | undefined {
    const { id, client = 'required' } = this.#extension;
    const { capabilities } = this.#core.settings;
    if (client === 'required' && declaredSettings(capabilities, id) === undefined)
      return notSupported(
        `${use} needs the extension ${id}, which this client does not declare`,
        'give it to connect({ extensions: [...] })',
      );
    // Where the server would not say what it has, it decides.
    if (this.#core.connection.era.session.capabilities === undefined || this.isDeclared) return undefined;
    return notSupported(
      `The server does not declare the extension ${id}`,
      'look at isDeclared before using it',
    );
  }
}

async function checkResult(
  method: string,
  source: AnySchema | undefined,
  result: JsonObject,
): Promise<unknown> {
  if (source === undefined) return result;
  const checked = await createSchema(source, 'output').check(result);
  if (checked.issues === undefined) return checked.value;
  throw invalidResult(method, describeIssues(checked.issues));
}
