/** The pieces that every area of the protocol is built from. */

import type { Meta, NotificationMeta, RequestMeta } from './meta.js';

export type Role = 'user' | 'assistant';

/** Opaque. An empty string is a cursor like any other; only a missing one means the end. */
export type Cursor = string;

/** A JSON Schema object of any dialect; 2020-12 unless `$schema` names another. */
export type JsonSchema = { [keyword: string]: unknown };

/** A JSON Schema whose instances are objects. Its properties are the author's, so they are narrowed before use. */
export type ObjectSchema = {
  [keyword: string]: unknown;
  $schema?: string;
  type: 'object';
  properties?: { [name: string]: unknown };
  required?: string[];
};

export interface Icon {
  /** An https or data URI. */
  src: string;
  mimeType?: string;
  /** `WxH` in pixels, or `any` for formats that scale. */
  sizes?: string[];
  /** The background that it was drawn for. */
  theme?: 'light' | 'dark';
}

/** A piece of software, as it describes itself. */
export interface Implementation {
  name: string;
  version: string;
  /** Name to show to people. Since 2025-06-18. */
  title?: string;
  /** Since 2025-11-25. */
  description?: string;
  /** Since 2025-11-25. */
  websiteUrl?: string;
  /** Since 2025-11-25. */
  icons?: Icon[];
}

/** Advice to the client about showing or selecting an item. */
export interface Annotations {
  audience?: Role[];
  /** From 0 (optional) to 1 (indispensable). */
  priority?: number;
  /** ISO 8601. Since 2025-06-18. */
  lastModified?: string;
}

/** How to read a result. Absent before 2026-07-28, and then `complete`; extensions add values of their own. */
export type ResultType = 'complete' | 'input_required';

export type CacheScope = 'public' | 'private';

/** How long, and for whom, a result may be reused. Required since 2026-07-28, absent before. */
export type CacheHints = {
  /** Milliseconds from receipt, an integer; 0 means stale at once. */
  ttlMs?: number;
  /** `public` may be shared between users, even behind authorization. */
  cacheScope?: CacheScope;
};

/** Params of requests that ask for nothing in particular. */
export type EmptyParams = {
  _meta?: RequestMeta;
};

export type PaginatedParams = {
  _meta?: RequestMeta;
  cursor?: Cursor;
};

/** Params of notifications that say no more than that they happened. */
export type NotificationParams = {
  _meta?: NotificationMeta;
};

/** What all results have; alone, it is the empty result. */
export type Result = {
  _meta?: Meta;
  /** Since 2026-07-28, required there. */
  resultType?: Extract<ResultType, 'complete'>;
};

export type PaginatedResult = Result & {
  nextCursor?: Cursor;
};
