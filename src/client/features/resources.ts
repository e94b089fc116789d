import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/model/resources.js';
import { unsubscribable } from '../connection/capabilities.js';
import type { Core } from '../core.js';
import type { CallOptions } from '../options.js';
import { PaginatedList } from './paginated.js';
import type { ResourceSubscriber, UpdateHandler } from './resource-subscriptions.js';
import { RESOURCE_LIST, readResourceResult, TEMPLATE_LIST } from './results.js';

export interface Subscription {
  readonly uri: string;
  /** Ends it; the last subscription to the URI is also ended on the server. */
  close(): Promise<void>;
}

/** The server's resources. Iterate over it for the resources themselves. */
export class Resources extends PaginatedList<Resource> {
  readonly #core: Core;
  readonly #templates: PaginatedList<ResourceTemplate>;

  constructor(core: Core) {
    super(core, 'resources', RESOURCE_LIST);
    this.#core = core;
    this.#templates = new PaginatedList(core, 'resources', TEMPLATE_LIST);
  }

  /** The templates: iterate, or ask for its `list()` or `page()`. */
  templates(): PaginatedList<ResourceTemplate> {
    return this.#templates;
  }

  read(uri: string, options: CallOptions = {}): Promise<ReadResourceResult> {
    const params = { uri };
    return this.#core.fetch('resources', {
      method: 'resources/read',
      params,
      options,
      read: readResourceResult,
    });
  }

  /** Calls the handler whenever the server says that the resource, or something below it, has changed. */
  async subscribe(uri: string, handler: UpdateHandler): Promise<Subscription> {
    const core = this.#core;
    if (!core.isReady) await core.ready('resources/subscribe', {});
    const undeclared = unsubscribable(core.connection.era.session.capabilities);
    if (undeclared !== undefined) throw undeclared;
    const interest: ResourceSubscriber = { uri, subscriber: core.subscriber(uri, handler) };
    const { feed } = core.connection.era;
    core.subscriptions.add(interest);
    await feed.sync();
    const refusal = feed.refusal(uri);
    if (refusal !== undefined) {
      core.subscriptions.remove(interest);
      void feed.sync();
      throw refusal;
    }
    return {
      uri,
      close: async () => {
        interest.subscriber.end();
        if (core.subscriptions.remove(interest) && core.isReady) await core.connection.era.feed.sync();
      },
    };
  }
}
