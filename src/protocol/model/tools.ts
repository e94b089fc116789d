/** Tools: what a server can do on behalf of a model. */

import type { CacheHints, Icon, JsonSchema, ObjectSchema, PaginatedResult, Result } from './base.js';
import type { ContentBlock } from './content.js';
import type { Meta, RequestMeta } from './meta.js';
import type { TaskOptions } from './tasks.js';

export interface Tool {
  name: string;
  /** Name to show to people; wins over `annotations.title`. Since 2025-06-18. */
  title?: string;
  description?: string;
  inputSchema: ObjectSchema;
  /** Describes `structuredContent`. Since 2025-06-18, where the root must be an object; any schema since 2026-07-28. */
  outputSchema?: JsonSchema;
  /** Since 2025-03-26. */
  annotations?: ToolAnnotations;
  /** 2025-11-25 only. */
  execution?: ToolExecution;
  /** Since 2025-11-25. */
  icons?: Icon[];
  /** Since 2025-06-18. */
  _meta?: Meta;
}

/** Claims of the server about its tool: never ground for trust. */
export interface ToolAnnotations {
  title?: string;
  /** Changes nothing. False when absent. */
  readOnlyHint?: boolean;
  /** May undo or overwrite; of interest when not read-only. True when absent. */
  destructiveHint?: boolean;
  /** Calling again with the same arguments adds no effect. False when absent. */
  idempotentHint?: boolean;
  /** Reaches beyond a closed set of things, such as the web. True when absent. */
  openWorldHint?: boolean;
}

export interface ToolExecution {
  /** Forbidden when absent. */
  taskSupport?: 'forbidden' | 'optional' | 'required';
}

export type ListToolsResult = PaginatedResult &
  CacheHints & {
    tools: Tool[];
  };

export type CallToolParams = {
  _meta?: RequestMeta;
  name: string;
  arguments?: { [name: string]: unknown };
  /** 2025-11-25 only. */
  task?: TaskOptions;
};

export type CallToolResult = Result & {
  content: ContentBlock[];
  /** Since 2025-06-18, where it is an object; any JSON value since 2026-07-28. */
  structuredContent?: unknown;
  /** The tool itself failed, and the model should read why. */
  isError?: boolean;
};
