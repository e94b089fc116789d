/** A suite in code: `const results = await mcpTest(server, { tools: { add: { args, expect } } })`. */

import type { SuiteResult } from '../run/result.js';
import { type RunSuiteOptions, runSuite } from '../run/run-suite.js';
import { parseSuite } from '../suite/parse-suite.js';
import type { SdkServer } from './sdk-source.js';
import { targetOf } from './sdk-source.js';
import type { ServerContent, TestsContent } from './suite-content.js';

/** Runs tests against a server of this process, a command or a URL. */
export function mcpTest(
  server: ServerContent | SdkServer,
  tests: TestsContent,
  options: RunSuiteOptions = {},
): Promise<SuiteResult> {
  const reached = typeof server === 'object' && 'connect' in server ? targetOf(server) : server;
  const suite = parseSuite({ content: { server: reached, tests }, environment: process.env });
  return runSuite(suite, options);
}
