/** The token of the inspector, where the user wants a certain one. */

import { tokenProblem } from '../../inspector/http/access.js';
import { UsageError } from '../failure/failure.js';

/** For scripts that have to know the address before the process runs. */
const TOKEN_VARIABLE = 'PLUMB_INSPECT_TOKEN';

/**
 * Undefined for a random one. A variable that is set and empty is a mistake, and must not disable the check.
 */
export function givenToken(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const token = environment[TOKEN_VARIABLE];
  const problem = token === undefined ? undefined : tokenProblem(token);
  if (problem === undefined) return token;
  throw new UsageError(`${TOKEN_VARIABLE} is not a valid token: ${problem}; unset it for a random one`);
}
