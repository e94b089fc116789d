/** What a test file holds, for editors and compilers. The parser has the last word. */

import type { TransportSource } from '../../client/target.js';
import type { ExpectFunction } from '../expect/expectation.js';

export type ExpectContent = string | object | ExpectFunction | readonly ExpectContent[];

export type ServerContent =
  | string
  | TransportSource
  | {
      readonly command?: string | undefined;
      readonly args?: readonly string[] | undefined;
      readonly env?: { readonly [name: string]: string } | undefined;
      readonly cwd?: string | undefined;
      readonly transport?: 'stdio' | 'http' | 'sse' | 'streamable-http' | undefined;
      readonly url?: string | undefined;
      readonly headers?: { readonly [name: string]: string } | undefined;
    };

export type SnapshotContent =
  | boolean
  | string
  | {
      readonly name?: string | undefined;
      readonly properties?: readonly string[] | undefined;
      readonly include?: readonly string[] | undefined;
      readonly exclude?: readonly string[] | undefined;
      readonly updateSnapshot?: boolean | undefined;
      readonly snapshotDir?: string | undefined;
    };

export interface AnswersContent {
  readonly elicit?: unknown;
  readonly sample?: unknown;
  readonly roots?: readonly unknown[] | undefined;
}

/** One test of a tool, a resource, a prompt or a request. */
export interface CaseContent {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly args?: object | undefined;
  readonly params?: object | undefined;
  readonly method?: string | undefined;
  readonly meta?: object | undefined;
  readonly expect?: ExpectContent | undefined;
  readonly error?: boolean | number | string | object | undefined;
  readonly isError?: boolean | undefined;
  readonly shouldThrow?: boolean | undefined;
  readonly shouldExist?: boolean | undefined;
  readonly count?: number | string | object | undefined;
  readonly snapshot?: SnapshotContent | undefined;
  readonly capture?: { readonly [name: string]: string } | undefined;
  readonly answers?: AnswersContent | undefined;
  readonly progress?: boolean | number | ExpectContent | undefined;
  readonly logs?: boolean | number | ExpectContent | undefined;
  readonly asked?: boolean | number | ExpectContent | undefined;
  readonly cancel?: boolean | number | object | undefined;
  readonly timeout?: number | string | undefined;
  readonly skip?: boolean | string | undefined;
  readonly disabled?: boolean | string | undefined;
  readonly only?: boolean | undefined;
  readonly tags?: string | readonly string[] | undefined;
  readonly retries?: number | undefined;
  readonly server?: string | undefined;
  readonly servers?: readonly string[] | undefined;
  readonly revisions?: string | readonly string[] | undefined;
}

type CasesContent =
  | readonly (string | CaseContent)[]
  | { readonly [name: string]: CaseContent | readonly CaseContent[] | string | ExpectFunction };

export interface TestsContent {
  readonly name?: string | undefined;
  readonly timeout?: number | string | undefined;
  readonly maxRetries?: number | undefined;
  readonly retries?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly bail?: boolean | undefined;
  readonly strict?: boolean | undefined;
  readonly filter?: string | readonly string[] | undefined;
  readonly skip?: string | readonly string[] | undefined;
  readonly tags?: string | readonly string[] | undefined;
  readonly tools?: CasesContent | undefined;
  readonly resources?: CasesContent | undefined;
  readonly prompts?: CasesContent | undefined;
  readonly requests?: CasesContent | undefined;
  readonly scenarios?: readonly object[] | object | undefined;
  readonly protocol?: boolean | object | undefined;
  readonly lock?: string | undefined;
  readonly snapshot?: SnapshotContent | undefined;
  readonly snapshotDir?: string | undefined;
  readonly revisions?: 'all' | string | readonly string[] | undefined;
  readonly transports?: string | readonly string[] | undefined;
  readonly answers?: AnswersContent | undefined;
  readonly values?: object | undefined;
}

/** A test file as an object. */
export interface SuiteContent extends TestsContent {
  readonly $schema?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: unknown;
  readonly capabilities?: unknown;
  readonly server?: ServerContent | undefined;
  readonly servers?: { readonly [name: string]: ServerContent } | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
  readonly tests?: TestsContent | undefined;
}

/** For the types: `export default defineSuite({ server, tests })`. */
export function defineSuite(content: SuiteContent): SuiteContent {
  return content;
}
