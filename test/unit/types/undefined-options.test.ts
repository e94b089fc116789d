/** An optional property that users pass takes `undefined` too: code with exactOptionalPropertyTypes need not leave it out. */

import { expect, test } from 'vitest';
import { findStrictOptions } from '../../support/option-types.js';

/** Messages of the protocol, and the schemas of other libraries: their shape is not ours. */
const FOREIGN = ['protocol/model/', 'jsonrpc/', 'protocol/schema/standard-schema.ts'];

/** What the package hands out, and what its own parts hand each other. */
const NOT_GIVEN = new Set([
  ...['AuthInfo', 'Asker', 'CaseResult', 'ClientFault', 'DispatcherOptions', 'Evidence', 'FailureReport'],
  ...['InputState', 'OutgoingCall', 'Peer', 'Problem', 'RecordedEntry', 'ReportFinding', 'ReportOutcome'],
  ...['RevisionRun', 'Route', 'RunningCall', 'SessionChange', 'SnapshotReport', 'SuiteResult', 'Transport'],
  ...['TransportFault', 'TaskSupportHost'],
]);
const INNER = new Set(['server/session.ts', 'transports/transport.ts', 'server/tool-result.ts']);

// The compiler reads the whole package first.
test('every optional property of every options object takes undefined', { timeout: 240_000 }, () => {
  const { looked, found } = findStrictOptions(
    (file, type) =>
      FOREIGN.some((folder) => file.startsWith(folder)) || NOT_GIVEN.has(type) || INNER.has(file),
  );
  expect(looked).toBeGreaterThan(500);
  expect(found.map(({ file, name }) => `${file} ${name}`)).toEqual([]);
});
