/** A misspelt option is refused: the limit or the rule that it stands for would silently not hold. */

import { createChain } from 'plumb-mcp/chain';
import * as middleware from 'plumb-mcp/middleware';
import { expect, test } from 'vitest';

/** What untyped code can pass. */
function untyped(value: object): never {
  return value as never;
}

const WITH_OPTIONS = {
  audit: middleware.audit,
  cache: middleware.cache,
  circuitBreaker: middleware.circuitBreaker,
  concurrency: middleware.concurrency,
  faults: middleware.faults,
  log: middleware.log,
  rateLimit: middleware.rateLimit,
  record: middleware.record,
  redact: middleware.redact,
  retry: middleware.retry,
  toolSearch: middleware.toolSearch,
  createChain,
};

test.each(Object.entries(WITH_OPTIONS))('%s refuses an option that it does not have', (name, create) => {
  expect(() => create(untyped({ zzz: 1 }))).toThrow(`${name} has no option "zzz"; options are `);
});

test('the option that was probably meant is named', () => {
  expect(() => middleware.rateLimit(untyped({ perPrincpal: '1/min' }))).toThrow(
    'rateLimit has no option "perPrincpal"; did you mean "perPrincipal"?',
  );
  expect(() => createChain(untyped({ onServerEvnt: () => {} }))).toThrow('did you mean "onServerEvent"?');
});
