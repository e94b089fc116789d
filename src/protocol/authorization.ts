/** What a verified access token says of the caller. The token itself is not here: it must not travel further. */

import type { JsonObject } from '../jsonrpc/message.js';

export interface AuthInfo {
  /** The authorization server that vouches for the caller. */
  readonly issuer: string;
  /** The user or service, as the authorization server calls it. */
  readonly subject: string | undefined;
  /** The application that acts for the subject. */
  readonly clientId: string | undefined;
  readonly scopes: readonly string[];
  /** Everything the token or its introspection says. */
  readonly claims: JsonObject;
  /** Whether lists leave out the tools whose scopes the caller lacks. */
  readonly listsPermittedOnly?: boolean | undefined;
}

/** The scopes of `needed` that were not granted. */
export function missingScopes(
  auth: Pick<AuthInfo, 'scopes'> | undefined,
  needed: readonly string[],
): readonly string[] {
  return auth === undefined ? needed : needed.filter((scope) => !auth.scopes.includes(scope));
}
