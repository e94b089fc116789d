/** Content blocks: what tools return, prompts contain and models say. */

import type { Annotations } from './base.js';
import type { Meta } from './meta.js';
import type { Resource, ResourceContents } from './resources.js';

export interface TextContent {
  type: 'text';
  text: string;
  annotations?: Annotations;
  /** Since 2025-06-18. */
  _meta?: Meta;
}

export interface ImageContent {
  type: 'image';
  /** Base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations;
  /** Since 2025-06-18. */
  _meta?: Meta;
}

/** Since 2025-03-26. */
export interface AudioContent {
  type: 'audio';
  /** Base64. */
  data: string;
  mimeType: string;
  annotations?: Annotations;
  /** Since 2025-06-18. */
  _meta?: Meta;
}

/** A resource to read later, which need not appear in any list. Since 2025-06-18. */
export interface ResourceLink extends Resource {
  type: 'resource_link';
}

/** A resource whose contents come along. */
export interface EmbeddedResource {
  type: 'resource';
  resource: ResourceContents;
  annotations?: Annotations;
  /** Since 2025-06-18. */
  _meta?: Meta;
}

/** Content of tool results and prompt messages. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The model wants a tool called. Sampling only, since 2025-11-25. */
export interface ToolUseContent {
  type: 'tool_use';
  /** Names this use in the result that follows. */
  id: string;
  name: string;
  input: { [argument: string]: unknown };
  _meta?: Meta;
}

/** What the tool gave back. Sampling only, since 2025-11-25. */
export interface ToolResultContent {
  type: 'tool_result';
  toolUseId: string;
  content: ContentBlock[];
  /** An object in 2025-11-25, any JSON value later. */
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Meta;
}

/** Content of sampling messages. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;
