/** What can go wrong on the way to a token. Nothing secret is ever part of a message or a cause. */

import * as oauth from 'oauth4webapi';
import { McpError } from '../../protocol/errors.js';

export type AuthErrorCode =
  /** A user has to log in, and no user is present. */
  | 'login_required'
  /** The person did not finish the login. */
  | 'login_cancelled'
  /** Metadata of the server or its authorization server is missing or contradicts itself. */
  | 'auth_discovery_failed'
  /** Something would have been sent to a place it must not go to. */
  | 'auth_forbidden'
  /** The authorization server does not take us as a client. */
  | 'registration_failed'
  /** The authorization server refused, or answered with something that must not be trusted. */
  | 'authorization_failed'
  /** The token endpoint refused. */
  | 'token_refused'
  /** The server does not accept the token that was just issued for it. */
  | 'token_rejected'
  /** The server wants scopes that were asked for already and are not granted. */
  | 'insufficient_scope'
  /** The options of the client do not fit together, or do not fit this server. */
  | 'auth_misconfigured'
  /** The token store cannot be read or written. */
  | 'token_store_failed';

/** A login or a token that failed; `code` says at which step. */
export class AuthError extends McpError<AuthErrorCode> {
  /** The OAuth error code, where an authorization server gave one. */
  readonly oauthError: string | undefined;

  constructor(
    code: AuthErrorCode,
    message: string,
    options: { readonly oauthError?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(code, message, 'cause' in options ? { cause: options.cause } : undefined);
    this.oauthError = options.oauthError;
  }
}

const MAX_DETAIL = 300;

/**
 * A failure of the OAuth library in our words. Its own errors hold whole responses and parameters, tokens and codes
 * among them, so they are never passed on; `secrets` are taken out of what the server says, lest it echoes them.
 */
export function describeOAuthFailure(
  code: AuthErrorCode,
  what: string,
  error: unknown,
  secrets: readonly (string | undefined)[] = [],
): AuthError {
  if (error instanceof AuthError) return error;
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    const oauthError = redact(error.error, secrets);
    const detail =
      error.error_description === undefined ? '' : `: ${redact(error.error_description, secrets)}`;
    return new AuthError(code, `${what} (${oauthError}${detail})`, { oauthError });
  }
  if (error instanceof oauth.WWWAuthenticateChallengeError) {
    const oauthError = error.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters.error;
    return new AuthError(code, `${what} (HTTP ${error.status})`, { oauthError });
  }
  const detail = error instanceof Error ? redact(error.message, secrets) : 'unknown failure';
  return new AuthError(code, `${what} (${detail})`);
}

/** One line of printable text without the secrets. */
function redact(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= 4) clean = clean.replaceAll(secret, '[redacted]');
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach a terminal
  return clean.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, MAX_DETAIL);
}
