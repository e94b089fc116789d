/** Matchers for `expect.extend` of vitest and jest. */

import { isRecord } from '../../jsonrpc/message.js';
import { ProtocolError } from '../../protocol/errors.js';
import { describeDifferences, differences } from '../expect/difference.js';
import { compileExpectation } from '../expect/expectation.js';
import { shown } from '../expect/problem.js';
import { textOfResult } from '../expect/subject.js';
import { describeProblem } from '../report/describe.js';

export interface MatcherVerdict {
  readonly pass: boolean;
  message(): string;
}

/** Types of the matchers: `declare module 'vitest' { interface Matchers<T> extends McpMatchers<T> {} }`. */
export interface McpMatchers<R = unknown> {
  /** The tool succeeded. */
  toSucceed(): R;
  /** The tool failed; its text contains or matches this. */
  toFail(text?: string | RegExp): R;
  /** The text of a result contains or matches this. */
  toHaveText(text: string | RegExp): R;
  /** The structured content has these fields. */
  toHaveStructuredContent(content: object): R;
  /** An expectation as in test files: `content.length > 0`, or an object of operators. */
  toMeet(expectation: unknown): R;
  /** A list of tools, resources or prompts, or a client's, has one of this name. */
  toInclude(name: string): R;
  /** A rejected call whose error has this JSON-RPC code. */
  toBeProtocolError(code?: number): R;
}

function verdict(pass: boolean, expected: string, actual: unknown): MatcherVerdict {
  return {
    pass,
    message: () => `expected ${shown(actual)} ${pass ? 'not ' : ''}${expected}`,
  };
}

function says(text: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

/** A type and not an interface: `expect.extend` takes objects of any names. */
export type MatcherFunctions = {
  toSucceed(received: unknown): MatcherVerdict;
  toFail(received: unknown, text?: string | RegExp): MatcherVerdict;
  toHaveText(received: unknown, text: string | RegExp): MatcherVerdict;
  toHaveStructuredContent(received: unknown, content: object): MatcherVerdict;
  toMeet(received: unknown, expectation: unknown): Promise<MatcherVerdict>;
  toInclude(received: unknown, name: string): MatcherVerdict;
  toBeProtocolError(received: unknown, code?: number): MatcherVerdict;
};

/** Matchers for results: `expect.extend(mcpMatchers)`, for vitest and jest. */
export const mcpMatchers: MatcherFunctions = {
  toSucceed: (received) =>
    verdict(
      isRecord(received) && received.isError !== true,
      'to be a result of a tool that succeeded',
      received,
    ),
  toFail: (received, text?: string | RegExp) =>
    verdict(
      isRecord(received) && received.isError === true && says(textOfResult(received), text),
      `to be a result with isError${text === undefined ? '' : ` that says ${text}`}`,
      received,
    ),
  toHaveText: (received, text: string | RegExp) =>
    verdict(says(textOfResult(received), text), `to have the text ${text}`, textOfResult(received)),
  toHaveStructuredContent: (received, content: object) => {
    const actual = isRecord(received) ? received.structuredContent : undefined;
    const found = differences(content, actual, 'partial');
    return {
      pass: found.length === 0,
      message: () => `expected other structured content\n${describeDifferences(found)}`,
    };
  },
  toMeet: async (received, expectation: unknown) => {
    const problems = await compileExpectation(expectation, 'toMeet')({ result: received });
    return {
      pass: problems.length === 0,
      message: () =>
        problems.length === 0
          ? `expected ${shown(received)} not to meet ${shown(expectation)}`
          : problems.flatMap(describeProblem).join('\n'),
    };
  },
  toInclude: (received, name: string) => {
    const names = Array.isArray(received)
      ? received.filter(isRecord).flatMap((item) => [item.name, item.uri])
      : [];
    return verdict(
      names.includes(name),
      `to include ${shown(name)}`,
      names.filter((item) => item !== undefined),
    );
  },
  toBeProtocolError: (received, code?: number) =>
    verdict(
      received instanceof ProtocolError && (code === undefined || received.rpcCode === code),
      `to be a protocol error${code === undefined ? '' : ` with code ${code}`}`,
      received instanceof Error ? received.message : received,
    ),
};
