/** What a test file holds, for editors and compilers. The parser has the last word. */

import type { TransportSource } from '../../client/target.js';
import type { ExpectFunction } from '../expect/expectation.js';

export type ExpectContent = string | object | ExpectFunction | readonly ExpectContent[];

export type ServerContent =
  | string
  | TransportSource
  | {
      readonly command?: string;
      readonly args?: readonly string[];
      readonly env?: { readonly [name: string]: string };
      readonly cwd?: string;
      readonly transport?: 'stdio' | 'http' | 'sse' | 'streamable-http';
      readonly url?: string;
      readonly headers?: { readonly [name: string]: string };
    };

export type SnapshotContent =
  | boolean
  | string
  | {
      readonly name?: string;
      readonly properties?: readonly string[];
      readonly include?: readonly string[];
      readonly exclude?: readonly string[];
      readonly updateSnapshot?: boolean;
      readonly snapshotDir?: string;
    };

export interface AnswersContent {
  readonly elicit?: unknown;
  readonly sample?: unknown;
  readonly roots?: readonly unknown[];
}

/** One test of a tool, a resource, a prompt or a request. */
export interface CaseContent {
  readonly name?: string;
  readonly description?: string;
  readonly args?: object;
  readonly params?: object;
  readonly method?: string;
  readonly meta?: object;
  readonly expect?: ExpectContent;
  readonly error?: boolean | number | string | object;
  readonly isError?: boolean;
  readonly shouldThrow?: boolean;
  readonly shouldExist?: boolean;
  readonly count?: number | string | object;
  readonly snapshot?: SnapshotContent;
  readonly capture?: { readonly [name: string]: string };
  readonly answers?: AnswersContent;
  readonly progress?: boolean | number | ExpectContent;
  readonly logs?: boolean | number | ExpectContent;
  readonly asked?: boolean | number | ExpectContent;
  readonly cancel?: boolean | number | object;
  readonly timeout?: number | string;
  readonly skip?: boolean | string;
  readonly disabled?: boolean | string;
  readonly only?: boolean;
  readonly tags?: string | readonly string[];
  readonly retries?: number;
  readonly server?: string;
  readonly servers?: readonly string[];
  readonly revisions?: string | readonly string[];
}

type CasesContent =
  | readonly (string | CaseContent)[]
  | { readonly [name: string]: CaseContent | readonly CaseContent[] | string | ExpectFunction };

export interface TestsContent {
  readonly name?: string;
  readonly timeout?: number | string;
  readonly maxRetries?: number;
  readonly retries?: number;
  readonly concurrency?: number;
  readonly bail?: boolean;
  readonly strict?: boolean;
  readonly filter?: string | readonly string[];
  readonly skip?: string | readonly string[];
  readonly tags?: string | readonly string[];
  readonly tools?: CasesContent;
  readonly resources?: CasesContent;
  readonly prompts?: CasesContent;
  readonly requests?: CasesContent;
  readonly scenarios?: readonly object[] | object;
  readonly protocol?: boolean | object;
  readonly lock?: string;
  readonly snapshot?: SnapshotContent;
  readonly snapshotDir?: string;
  readonly revisions?: 'all' | string | readonly string[];
  readonly transports?: string | readonly string[];
  readonly answers?: AnswersContent;
  readonly values?: object;
}

export interface SuiteContent extends TestsContent {
  readonly $schema?: string;
  readonly description?: string;
  readonly metadata?: unknown;
  readonly capabilities?: unknown;
  readonly server?: ServerContent;
  readonly servers?: { readonly [name: string]: ServerContent };
  readonly env?: { readonly [name: string]: string };
  readonly tests?: TestsContent;
}

/** For the types: `export default defineSuite({ server, tests })`. */
export function defineSuite(content: SuiteContent): SuiteContent {
  return content;
}
