/**
 * Which requests the inspector accepts. An accepted request can start programs, so there are three checks: it
 * listens on loopback only, requests must not come from another site's page (Host and Origin), and every
 * route wants the token.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Long enough not to be guessed. */
const MIN_TOKEN_LENGTH = 16;
const TOKEN_BYTES = 24;

export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Why a text is not a valid token; an empty one would disable the check. */
export function tokenProblem(token: string): string | undefined {
  if (token.length < MIN_TOKEN_LENGTH) return `it is shorter than ${MIN_TOKEN_LENGTH} characters`;
  return /^[\w.~-]+$/.test(token) ? undefined : 'it has characters other than letters, digits and - . _ ~';
}

export class Access {
  readonly token: string;
  readonly #digest: Buffer;

  constructor(token: string) {
    const problem = tokenProblem(token);
    if (problem !== undefined)
      throw new RangeError(`This is not a valid token for the inspector: ${problem}`);
    this.token = token;
    this.#digest = digestOf(token);
  }

  /** Takes the same time however much of it is right. */
  admits(given: string | undefined): boolean {
    return given !== undefined && timingSafeEqual(digestOf(given), this.#digest);
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
