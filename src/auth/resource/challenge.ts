/** `WWW-Authenticate` as RFC 6750 and RFC 9728 write it. */

export interface ChallengeParameters {
  readonly error?: 'invalid_token' | 'insufficient_scope' | 'invalid_request';
  readonly error_description?: string;
  readonly scope?: string;
  readonly resource_metadata?: string;
}

export function bearerChallenge(parameters: ChallengeParameters): string {
  const written = Object.entries(parameters).map(([name, value]) => `${name}=${quoted(String(value))}`);
  return `Bearer ${written.join(', ')}`;
}

/** A quoted-string (RFC 9110, 5.6.4). Other characters than these would end the header or the string early. */
function quoted(value: string): string {
  const visible = value.replaceAll(/[^\x20-\x7e]/g, '?');
  return `"${visible.replaceAll(/["\\]/g, (character) => `\\${character}`)}"`;
}
