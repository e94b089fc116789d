/** Resources: data that a server offers for reading, by URI. */

import type { Annotations, CacheHints, Icon, PaginatedResult, Result } from './base.js';
import type { Meta, RequestMeta } from './meta.js';

export interface Resource {
  uri: string;
  name: string;
  /** Name to show to people. Since 2025-06-18. */
  title?: string;
  description?: string;
  mimeType?: string;
  /** Bytes of the raw content, before any encoding. */
  size?: number;
  annotations?: Annotations;
  /** Since 2025-11-25. */
  icons?: Icon[];
  /** Since 2025-06-18. */
  _meta?: Meta;
}

export interface ResourceTemplate {
  /** RFC 6570. */
  uriTemplate: string;
  name: string;
  /** Name to show to people. Since 2025-06-18. */
  title?: string;
  description?: string;
  /** Only when every match has the same type. */
  mimeType?: string;
  annotations?: Annotations;
  /** Since 2025-11-25. */
  icons?: Icon[];
  /** Since 2025-06-18. */
  _meta?: Meta;
}

export interface TextResourceContents {
  uri: string;
  mimeType?: string;
  text: string;
  /** Since 2025-06-18. */
  _meta?: Meta;
}

export interface BlobResourceContents {
  uri: string;
  mimeType?: string;
  /** Base64. */
  blob: string;
  /** Since 2025-06-18. */
  _meta?: Meta;
}

export type ResourceContents = TextResourceContents | BlobResourceContents;

export type ListResourcesResult = PaginatedResult &
  CacheHints & {
    resources: Resource[];
  };

export type ListResourceTemplatesResult = PaginatedResult &
  CacheHints & {
    resourceTemplates: ResourceTemplate[];
  };

export type ReadResourceParams = {
  _meta?: RequestMeta;
  uri: string;
};

export type ReadResourceResult = Result &
  CacheHints & {
    /** Several when the URI stands for a collection. */
    contents: ResourceContents[];
  };

/** Until 2025-11-25; later revisions name the URIs in a listen filter. */
export type SubscribeParams = {
  _meta?: RequestMeta;
  uri: string;
};

/** Until 2025-11-25; later revisions end the listen request. */
export type UnsubscribeParams = {
  _meta?: RequestMeta;
  uri: string;
};
