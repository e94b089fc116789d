/** The flags of `plumb test`, once parsed. */

import type { ConnectFlags } from '../options/flags.js';
import type { TargetFlags } from '../target/target.js';

export interface TestFlags extends Omit<TargetFlags, 'config'>, ConnectFlags {
  /** The test file; with `generate`, a file with an "mcpServers" map. */
  readonly config?: string;
  readonly mcpConfig?: string;
  readonly server?: string;
  readonly args?: readonly string[];
  readonly tools?: readonly string[];
  readonly resources?: readonly string[];
  readonly prompts?: readonly string[];
  readonly timeout?: string;
  readonly updateSnapshots?: boolean;
  readonly filter?: readonly string[];
  readonly skip?: readonly string[];
  readonly case?: readonly string[];
  readonly tags?: readonly string[];
  readonly transport?: readonly string[];
  readonly url?: string;
  readonly revision?: readonly string[];
  readonly retries?: number;
  readonly concurrency?: number;
  readonly bail?: boolean;
  readonly strict?: boolean;
  readonly reporter?: readonly string[];
  readonly reportOutput?: readonly string[];
  readonly title?: string;
  readonly theme?: 'light' | 'dark' | 'auto';
  readonly rawData?: boolean;
  readonly open?: boolean;
  readonly watch?: boolean;
  readonly watchPaths?: readonly string[];
  readonly generate?: boolean;
  readonly out?: string;
  readonly depth: 'basic' | 'standard' | 'comprehensive';
  readonly edgeCases?: boolean;
  readonly negativeTests?: boolean;
  readonly snapshots?: boolean;
  readonly verbose?: boolean;
  readonly json?: boolean;
  readonly version?: boolean;
  /** Started by action.yml. */
  readonly action?: boolean;
}
