/** Notifications that belong to no single area. */

import type { RequestId } from '../../jsonrpc/message.js';
import type { NotificationMeta, ProgressToken } from './meta.js';

export type ProgressParams = {
  _meta?: NotificationMeta;
  progressToken: ProgressToken;
  /** Rises with every notification, even when the total is unknown. */
  progress: number;
  total?: number;
  /** Since 2025-03-26. */
  message?: string;
};

export type CancelledParams = {
  _meta?: NotificationMeta;
  /** Optional in 2025-11-25 only. */
  requestId?: RequestId;
  reason?: string;
};

/** `uri` may lie below the one that was subscribed to. */
export type ResourceUpdatedParams = {
  _meta?: NotificationMeta;
  uri: string;
};
