/** A test suite once its file has been read: servers, settings and cases. */

import type { TransportSource } from '../../client/target.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Expectation } from '../expect/expectation.js';
import type { Problem } from '../expect/problem.js';

export type TestedTransport = 'stdio' | 'http' | 'sse' | 'memory';

export type ServerReach =
  /** A name in a configuration file. */
  | { readonly kind: 'name'; readonly name: string }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
      /** Runs in the environment of this process too, as a command on the command line does. */
      readonly inheritEnv: boolean;
    }
  | {
      readonly kind: 'url';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly transport: 'http' | 'sse';
      /** Starts the server that is behind the URL. */
      readonly command: Extract<ServerReach, { kind: 'command' }> | undefined;
    }
  /** An object of this process, such as a server of Plumb. */
  | { readonly kind: 'object'; readonly source: TransportSource };

export interface ServerDefinition {
  readonly name: string;
  readonly reach: ServerReach;
}

export type CaseType =
  | 'connection'
  | 'capability'
  | 'tool'
  | 'resource'
  | 'prompt'
  | 'request'
  | 'scenario'
  | 'protocol';

export interface SnapshotDefinition {
  readonly name: string | undefined;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly update: boolean | undefined;
  readonly directory: string | undefined;
}

export interface ScriptedAnswers {
  /** In turn; the last one answers all further questions. */
  readonly elicit: readonly unknown[];
  readonly sample: readonly unknown[];
  readonly roots: readonly unknown[] | undefined;
}

export interface CancelDefinition {
  readonly afterMs: number | undefined;
  readonly afterProgress: number | undefined;
}

export interface StepDefinition {
  readonly kind: 'tool' | 'resource' | 'prompt' | 'request';
  /** The tool, the URI or glob, the prompt, or the method. */
  readonly subject: string;
  readonly args: JsonObject | undefined;
  /** Of raw requests, and `_meta` of calls. */
  readonly meta: JsonObject | undefined;
  readonly expect: Expectation | undefined;
  /** The text of the expectation, for reports. */
  readonly expected: unknown;
  /** The server must answer with a JSON-RPC error. */
  readonly error: ((error: JsonObject) => readonly Problem[]) | undefined;
  /** Undefined: results with `isError` fail the test, except where the expectation looks at it. */
  readonly isError: boolean | undefined;
  /** A JSON-RPC error or a result with `isError`. */
  readonly shouldThrow: boolean;
  readonly shouldExist: boolean | undefined;
  readonly count: Expectation | undefined;
  readonly snapshot: SnapshotDefinition | undefined;
  /** Names and the paths of their values. */
  readonly capture: ReadonlyMap<string, string>;
  readonly answers: ScriptedAnswers | undefined;
  readonly progress: Expectation | undefined;
  readonly logs: Expectation | undefined;
  readonly asked: Expectation | undefined;
  readonly cancel: CancelDefinition | undefined;
  readonly timeout: number | undefined;
}

export interface CaseDefinition {
  readonly name: string;
  /** Shown with a failure. */
  readonly description: string | undefined;
  readonly type: CaseType;
  readonly steps: readonly StepDefinition[];
  readonly tags: readonly string[];
  /** The reason. */
  readonly skip: string | undefined;
  readonly only: boolean;
  readonly retries: number | undefined;
  /** Of the servers, those that it is for. Empty: all of them. */
  readonly servers: readonly string[];
  readonly revisions: readonly string[];
}

export interface ProtocolDefinition {
  readonly level: 'must' | 'should';
  /** Topics of requirements, such as `tools`. Empty: all of them. */
  readonly areas: readonly string[];
  readonly only: readonly string[];
  /** Left out, with the reason. */
  readonly except: ReadonlyMap<string, string>;
  /** Tools that may be called although they are not read-only. */
  readonly tools: readonly string[];
}

export interface SuiteSettings {
  /** Of each case, in milliseconds. */
  readonly timeout: number;
  readonly retries: number;
  readonly concurrency: number;
  readonly bail: boolean;
  /** Messages that break the protocol fail the case in which they arrive. */
  readonly strict: boolean;
  readonly filter: readonly string[];
  readonly skip: readonly string[];
  readonly tags: readonly string[];
  readonly snapshotDirectory: string;
  readonly updateSnapshots: boolean;
  /** Empty: the one that client and server agree on. */
  readonly revisions: readonly string[];
  /** `revisions: all`: those that a server does not support are left out. */
  readonly allRevisions: boolean;
  /** Empty: the one that the server is defined with. */
  readonly transports: readonly TestedTransport[];
  readonly answers: ScriptedAnswers | undefined;
  readonly lock: string | undefined;
}

export interface Suite {
  readonly name: string;
  /** Where it was read. */
  readonly file: string | undefined;
  readonly directory: string;
  readonly servers: readonly ServerDefinition[];
  readonly settings: SuiteSettings;
  readonly cases: readonly CaseDefinition[];
  readonly protocol: ProtocolDefinition | undefined;
  readonly values: JsonObject;
}
