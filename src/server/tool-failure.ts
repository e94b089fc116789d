/** What a model reads when a tool fails. */

import type { CallToolResult } from '../protocol/model/tools.js';
import { ToolError } from './tool-result.js';

/** The failed result that a ToolError stands for; other errors pass. */
export function failure(error: unknown): CallToolResult {
  if (error instanceof ToolError) return { content: [...error.content], isError: true };
  throw error;
}

/** What the model reads when a handler failed for a reason that is not its business. */
export function unexpectedToolFailure(name: string, error: unknown, exposed: boolean): CallToolResult {
  const detail = exposed && error instanceof Error ? `: ${error.message}` : '';
  return { content: [{ type: 'text', text: `Tool "${name}" failed unexpectedly${detail}` }], isError: true };
}
