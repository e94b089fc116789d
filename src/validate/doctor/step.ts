import type { Duration } from '../../protocol/duration.js';
import type { OptionNames } from '../../protocol/option-names.js';

/** One thing that has to work before a connection does. */
export interface Step {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** It works, and some clients may still have trouble with it. */
  readonly warning?: boolean;
  /** What to do, when it is not in order. */
  readonly fix?: string;
  /** Everything that the process wrote to stderr, where it may explain what failed. */
  readonly stderr?: string;
}

export interface DiagnoseOptions {
  /** How long a command may take to start and answer. Default: 60 s. */
  readonly connectTimeout?: Duration | undefined;
  /** Called once when a command has not answered after 3 s, and then for each line that it writes to stderr. */
  readonly onWaiting?: ((line: string) => void) | undefined;
  /** How long the command was already waited for, where that is known: it is not waited for again. */
  readonly waited?: Duration | undefined;
}

export const DIAGNOSE_OPTIONS: OptionNames<DiagnoseOptions> = {
  connectTimeout: true,
  onWaiting: true,
  waited: true,
};

/** How long one of them may take. */
export const STEP_MS = 5_000;
