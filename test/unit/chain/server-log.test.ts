import { describe, expect, it } from 'vitest';
import { lastWords, ServerLog } from '../../../src/chain/server-log.js';
import { ServerUnavailableError } from '../../../src/chain/unavailable.js';
import { ConnectionClosedError, StartTimeoutError, TimeoutError } from '../../../src/client/errors.js';

const KEY = 'abcdefghijklmnop';
const CRASH = `node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/srv/index.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15) {
  code: 'MODULE_NOT_FOUND',
}

Node.js v20.0.0
`;

function written(): { log: ServerLog; lines: string[] } {
  const lines: string[] = [];
  const log = new ServerLog({
    write: (line) => lines.push(line),
    raiseLimit: '--connect-timeout',
    secrets: () => [KEY],
  });
  return { log, lines };
}

function exited(stderr: string): ConnectionClosedError {
  return new ConnectionClosedError('node x', { kind: 'exit', code: 1, signal: null, stderr });
}

describe('the log of servers', () => {
  it('has a line for the first failed start (what, stderr, and what happens next) and for the last', () => {
    const { log, lines } = written();
    const failed = {
      type: 'start_failed',
      server: 'files',
      error: exited(CRASH),
      stderr: CRASH,
      limit: 5,
    } as const;
    log.event({ ...failed, failures: 1, waitMs: 1_000 });
    log.event({ ...failed, failures: 2, waitMs: 2_000 });
    log.event({ ...failed, failures: 5, waitMs: 60_000 });
    expect(lines).toEqual([
      "plumb: files ended with exit code 1 while it started; stderr: Error: Cannot find module '/srv/index.js' (attempt 1 of 5); next attempt in 1 s at the earliest",
      'plumb: files failed to start for the same reason (attempt 5 of 5); it is only tried again for calls, at most every 60 s: correct the cause, then restart or reload',
    ]);
  });

  it('does not repeat every failure of a server that stays away', () => {
    const { log, lines } = written();
    const error = new Error('http://127.0.0.1:9 could not be reached: connect ECONNREFUSED 127.0.0.1:9');
    for (let failures = 1; failures <= 30; failures += 1)
      log.event({
        type: 'start_failed',
        server: 'docs',
        error,
        stderr: '',
        failures,
        limit: undefined,
        waitMs: 5_000,
      });
    expect(lines).toEqual([
      'plumb: docs could not be reached at http://127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9 (attempt 1); next attempt in 5 s at the earliest',
      'plumb: docs still cannot be reached (attempt 10); next attempt in 5 s at the earliest',
    ]);
  });

  it('names the address of a server that seems to serve HTTP instead', () => {
    const { log, lines } = written();
    const error = new StartTimeoutError('node x', 'initialize', 60_000);
    const stderr = '[INFO] StreamableHTTP endpoint available at http://127.0.0.1:3333/mcp\n';
    log.event({ type: 'start_failed', server: 'figma', error, stderr, failures: 1, limit: 5, waitMs: 1_000 });
    expect(lines[0]).toContain(
      'it seems to serve HTTP at http://127.0.0.1:3333/mcp: configure that as its url, or an option of the server for stdio',
    );
  });

  it('names the limit of a start that took too long, and what raises it', () => {
    const { log, lines } = written();
    const error = new StartTimeoutError('npx', 'initialize', 60_000);
    log.event({ type: 'starting', server: 'files', afterMs: 5_001, limitMs: 60_000, stderr: 'installing' });
    log.event({
      type: 'start_failed',
      server: 'files',
      error,
      stderr: '',
      failures: 1,
      limit: 5,
      waitMs: 999.9,
    });
    log.event({ type: 'ready', server: 'files', afterMs: 12_345 });
    expect(lines).toEqual([
      'plumb: files is still starting, 5 s of 60 s; stderr: installing',
      'plumb: files did not answer within 60 s and was ended; raise --connect-timeout if it starts slowly (attempt 1 of 5); next attempt in 1 s at the earliest',
      'plumb: files is ready after 12.3 s',
    ]);
  });

  it('counts calls that fail for the same reason', () => {
    const { log, lines } = written();
    const error = new TimeoutError('tools/call was not answered within 30000 ms and was cancelled');
    for (let call = 0; call < 25; call += 1)
      log.event({ type: 'call_failed', server: 'files', method: 'tools/call', error });
    expect(lines).toEqual([
      `plumb: files: tools/call failed: ${error.message}`,
      `plumb: files: tools/call failed: ${error.message} (10 times)`,
    ]);
  });

  it('reports a loss once, not again for the call that it ended or the client that was refused', () => {
    const { log, lines } = written();
    const error = exited('bye');
    log.event({ type: 'lost', server: 'files', reason: error.reason, stderr: 'bye' });
    log.event({ type: 'call_failed', server: 'files', method: 'tools/call', error });
    log.error(new ServerUnavailableError('files', 'it ended'), 'tools/list');
    expect(lines).toEqual([
      'plumb: files ended with exit code 1; stderr: bye; it is started again when needed',
    ]);
  });

  it('shows no secret and nothing that a terminal would obey', () => {
    const { log, lines } = written();
    const stderr = `\u001b[31mError:\u001b[0m bad key ${KEY} for https://me:hunter22@host/\n`;
    log.event({ type: 'lost', server: 'files', reason: exited(stderr).reason, stderr });
    expect(lines[0]).toContain('stderr: Error: bad key abc•••• for https://••••@host/');
  });
});

describe('last words', () => {
  it('are the line that names the cause, cut when it is long', () => {
    expect(lastWords(CRASH)).toBe("Error: Cannot find module '/srv/index.js'");
    expect(lastWords('x'.repeat(1_000))).toBe(`${'x'.repeat(300)}...`);
  });
});
