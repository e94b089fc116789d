import { describe, expect, it } from 'vitest';
import { servedAddress, tellingLine } from '../../../src/protocol/telling-line.js';

describe('the line that names the cause', () => {
  it.each([
    [
      'an error of Node, past its frames',
      "node:internal/modules/cjs/loader:1215\n  throw err;\n  ^\n\nError: Cannot find module '/srv/index.js'\n    at x {\n  code: 'MODULE_NOT_FOUND',\n}\n\nNode.js v20.0.0\n",
      "Error: Cannot find module '/srv/index.js'",
    ],
    [
      'an error above the usage of the program',
      'Error: no current-context is set\nUsage:\n  server [flags]\nFlags:\n      --log-file string   Set to "stderr" to log to the standard error stream\n',
      'Error: no current-context is set',
    ],
    [
      'the cause of an error',
      "TypeError: fetch failed\n    at x\n  [cause]: Error: getaddrinfo ENOTFOUND svelte.dev\n    code: 'ENOTFOUND',\n}",
      '[cause]: Error: getaddrinfo ENOTFOUND svelte.dev',
    ],
    [
      'a package that npm does not find',
      "npm warn old\nnpm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/nope\nnpm error 404\nnpm error 404 The requested resource 'nope@*' could not be found\nnpm error A complete log of this run can be found in: /root/x.log\n",
      'npm error 404 Not Found - GET https://registry.npmjs.org/nope',
    ],
    ['a traceback of Python', 'listening\nTraceback:\n  File "x.py", line 3\nKeyError: 1\n', 'KeyError: 1'],
    [
      'a frame of the runtime before it',
      'node:internal/process/promises:394\n  triggerUncaughtException(err, true);\n  ^\nnot found\n',
      'not found',
    ],
    [
      'words that only sound like one',
      'starting\nFIGMA_API_KEY is required\nbye\n',
      'FIGMA_API_KEY is required',
    ],
    ['anything', 'one\ntwo\n\n', 'two'],
    ['nothing', '', ''],
  ])('is found in %s', (_what, stderr, line) => {
    expect(tellingLine(stderr)).toBe(line);
  });
});

describe('the address that a program names', () => {
  it.each([
    ['[INFO] endpoint available at http://127.0.0.1:3333/mcp', 'http://127.0.0.1:3333/mcp'],
    ['Listening on http://localhost:8080.', 'http://localhost:8080'],
    ['see https://github.com/x/y#usage', undefined],
  ])('%s', (text, address) => {
    expect(servedAddress(text)).toBe(address);
  });
});
