/** `${...}` in config files, as the known clients write them. */

import { UsageError } from '../failure/failure.js';

export interface VariableSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The directory that the file belongs to. */
  readonly workspace: string;
  readonly home: string;
}

const REFERENCE = /\$\{([^}]*)\}/g;

/** `${NAME}`, `${NAME:-default}`, `${env:NAME}`, `${workspaceFolder}`, `${userHome}`. */
export function substitute(text: string, sources: VariableSources): string {
  return text.replaceAll(REFERENCE, (_whole, reference: string) => resolve(reference, sources));
}

function resolve(reference: string, { environment, workspace, home }: VariableSources): string {
  if (reference === 'workspaceFolder') return workspace;
  if (reference === 'userHome') return home;
  const named = reference.startsWith('env:') ? reference.slice('env:'.length) : reference;
  const [name = '', ...fallback] = named.split(':-');
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new UsageError(
      `\${${reference}} is not supported; use \${NAME} and set the environment variable NAME`,
    );
  }
  const value = environment[name];
  if (value !== undefined && value !== '') return value;
  if (fallback.length > 0) return fallback.join(':-');
  if (value !== undefined) return value;
  throw new UsageError(`The environment variable ${name} is not set; set it, or write \${${name}:-default}`);
}
