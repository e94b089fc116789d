/** Types of the matchers in jest. */

import type { McpMatchers } from 'plumb-mcp/testing';

declare module 'expect' {
  interface Matchers<R extends void | Promise<void>> extends McpMatchers<R> {}
}
