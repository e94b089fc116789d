import { expect, it } from 'vitest';
import { RefusedError } from '../../../src/client/errors.js';
import { CancelledError, classify, mayHaveActed, TransportError } from '../../../src/client/index.js';
import { McpError, receivedError } from '../../../src/protocol/errors.js';

it.each([
  ['tools/call', -32602, 'Unknown tool: x', 'unknown_tool'],
  ['tools/call', -32602, 'MCP error -32602: Tool x not found', 'unknown_tool'],
  ['tools/call', -32602, 'Invalid arguments for tool x: city is required', 'invalid_params'],
  ['tools/call', -32602, 'nope', 'unknown_tool'],
  ['tools/call', -32601, 'Tool not found', 'unknown_tool'],
  ['tools/call', -32601, 'Method not found: tools/call', 'unknown_tool'],
  ['tools/call', -32600, 'tool does not exist', 'unknown_tool'],
  ['tools/call', -32603, 'Unknown tool', 'unknown_tool'],
  ['tools/call', -32603, 'division by zero', 'internal_error'],
  ['tools/call', -32001, 'x', 'unknown_tool'],
  ['tools/call', -32003, 'x', 'unknown_tool'],
  ['tools/call', -32042, 'go there', 'url_elicitation_required'],
  ['resources/read', -32002, 'x', 'resource_not_found'],
  ['resources/read', -32602, 'x', 'resource_not_found'],
  ['resources/read', -32001, 'x', 'resource_not_found'],
  ['resources/read', -32003, 'x', 'resource_not_found'],
  ['resources/read', -32603, 'x', 'internal_error'],
  ['prompts/get', -32602, 'Unknown prompt', 'unknown_prompt'],
  ['prompts/get', -32602, 'Missing required argument: city', 'invalid_params'],
  ['prompts/get', -32005, 'x', 'unknown_prompt'],
  ['prompts/get', -32003, 'x', 'unknown_prompt'],
  ['resources/read', -32005, 'x', 'access_denied'],
  ['tools/call', -32005, 'x', 'application'],
  ['completion/complete', -32602, 'x', 'unknown_reference'],
  ['tools/list', -32602, 'x', 'invalid_cursor'],
  ['tools/list', -32601, 'x', 'method_not_found'],
  ['com.example/do', -32001, 'x', 'application'],
  ['tools/call', -32004, 'x', 'tool_failed'],
  ['com.example/do', -32004, 'x', 'application'],
  ['resources/subscribe', -32007, 'x', 'not_supported'],
  ['tools/call', -1, 'no', 'user_refused'],
])('%s with %i and "%s" is %s', (method, code, message, kind) => {
  expect(classify(method, receivedError({ code, message }))).toBe(kind);
});

it('knows local errors by their code, and strangers as unknown', () => {
  expect(classify('tools/call', new McpError('timeout', ''))).toBe('timeout');
  expect(classify('tools/call', new TransportError('network', ''))).toBe('network');
  expect(classify('tools/call', new McpError('something_else', ''))).toBe('unknown');
  expect(classify('tools/call', new RefusedError())).toBe('unknown');
  expect(classify('tools/call', new TypeError())).toBe('unknown');
});

it.each([
  [new McpError('handshake_failed', ''), false],
  [new McpError('not_supported', ''), false],
  [new CancelledError('tools/call', 'no more', true), true],
  [new CancelledError('tools/call', 'no more', false), false],
  [new TransportError('network', '', { mayHaveActed: true }), true],
  [new TransportError('network', ''), false],
  [receivedError({ code: -32603, message: '' }), true],
  [new TypeError(), true],
])('whether the server may have acted is told of any error: %s, %s', (error, acted) => {
  expect(mayHaveActed(error)).toBe(acted);
});
