/** One thing that has to work before a connection does. */
export interface Step {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do, when it is not. */
  readonly fix?: string;
}

/** How long one of them may take. */
export const STEP_MS = 5_000;
