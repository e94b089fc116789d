/** Roots: the places where a client lets a server work. Deprecated since 2026-07-28. */

import type { Meta, RequestMeta } from './meta.js';

export interface Root {
  /** A `file://` URI. */
  uri: string;
  name?: string;
  /** Since 2025-06-18. */
  _meta?: Meta;
}

export type ListRootsParams = {
  _meta?: RequestMeta;
};

export type ListRootsResult = {
  /** Until 2025-11-25. */
  _meta?: Meta;
  roots: Root[];
};
