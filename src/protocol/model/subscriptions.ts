/** Listening for changes on a stream of its own. Since 2026-07-28; before, servers sent them unasked. */

import type { RequestId } from '../../jsonrpc/message.js';
import type { META_SUBSCRIPTION_ID, Meta, NotificationMeta, RequestMeta } from './meta.js';

/** The notifications wanted; whatever is absent stays unsent. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  /** URIs to hear about when they change. */
  resourceSubscriptions?: string[];
  /** Fields of extensions. */
  [field: string]: unknown;
}

export type ListenParams = {
  _meta?: RequestMeta;
  notifications: SubscriptionFilter;
};

/** First on the stream, before any change. */
export type SubscriptionsAcknowledgedParams = {
  _meta?: NotificationMeta;
  /** The part of the filter that the server honours. */
  notifications: SubscriptionFilter;
};

/** Sent when the server ends the stream in an orderly way; a lost connection has no result. */
export type ListenResult = {
  _meta: Meta & { [META_SUBSCRIPTION_ID]: RequestId };
  resultType?: 'complete';
};
