/** Test MCP servers, clients and agents. */
export { generateSuite } from './generate/generate-suite.js';
export { writeSuite } from './generate/write-suite.js';
export { createFakeServer } from './kit/fake-server.js';
export { createFaultyTransport } from './kit/faulty-transport.js';
export { recordTraffic, replayTraffic } from './kit/fixtures.js';
export { type McpMatchers, mcpMatchers } from './kit/matchers.js';
export { mcpTest } from './kit/mcp-test.js';
export { defineSuite, type SuiteContent } from './kit/suite-content.js';
export { createTestClient, type TestClient } from './kit/test-client.js';
export { createVirtualClock } from './kit/virtual-clock.js';
export { htmlReport } from './report/html.js';
export { junitReport } from './report/machine.js';
export { formatResults } from './report/terminal.js';
export type { SuiteResult } from './run/result.js';
export { runSuite } from './run/run-suite.js';
export { loadSuiteFile } from './suite/load-file.js';
export { parseSuite } from './suite/parse-suite.js';
export { createWatcher } from './watch/watcher.js';
