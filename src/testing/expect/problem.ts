/** Why an expectation was not met. */

export interface Problem {
  readonly message: string;
  /** Where in the result. */
  readonly path?: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
}

const MAX_SHOWN = 400;

/** A value in a message, on one line and not too long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'undefined';
  const text = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
