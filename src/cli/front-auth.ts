/** Who may call what listens for HTTP: whoever has a token of an issuer, or one that was agreed on. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { HttpServeOptions } from '../server/index.js';
import { UsageError } from './failure.js';
import { collect } from './flags.js';

export interface FrontAuthFlags {
  readonly http?: number;
  readonly host?: string;
  readonly path?: string;
  readonly bearerTokenEnv?: string;
  readonly authIssuer?: readonly string[];
  readonly authAudience?: readonly string[];
  readonly authScope?: readonly string[];
}

export type FrontAuth = Pick<HttpServeOptions, 'auth' | 'authenticate'>;

/** Shorter ones could be guessed. */
const MIN_TOKEN_LENGTH = 16;

export function addFrontAuthOptions(command: Command): Command {
  return command
    .option(
      '--bearer-token-env <variable>',
      'callers must bring the token that is in this environment variable (with --http)',
    )
    .addOption(
      new Option(
        '--auth-issuer <url>',
        'callers must bring an access token of this authorization server (repeatable)',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--auth-audience <url>',
        'what such tokens must be for (repeatable; the URL listened at unless given)',
      ).argParser(collect),
    )
    .addOption(
      new Option('--auth-scope <scope>', 'a scope that such tokens must have (repeatable)').argParser(
        collect,
      ),
    );
}

export async function frontAuth(flags: FrontAuthFlags): Promise<FrontAuth> {
  const { bearerTokenEnv, authIssuer, authAudience, authScope } = flags;
  if (authIssuer === undefined && (authAudience !== undefined || authScope !== undefined))
    throw new UsageError('--auth-audience and --auth-scope are for tokens of an --auth-issuer');
  if (bearerTokenEnv === undefined && authIssuer === undefined) return {};
  if (flags.http === undefined)
    throw new UsageError('Callers are checked over HTTP only: add --http; over stdio there is one caller');
  if (bearerTokenEnv !== undefined && authIssuer !== undefined)
    throw new UsageError('Choose one of --bearer-token-env and --auth-issuer');
  if (bearerTokenEnv !== undefined) return { authenticate: agreedToken(bearerTokenEnv) };
  const { bearer } = await import('../auth/index.js');
  try {
    return {
      auth: bearer({
        issuer: authIssuer ?? [],
        audience: authAudience ?? [ownUrl(flags)],
        ...(authScope === undefined ? {} : { requiredScopes: authScope }),
      }),
    };
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/** The token comes from the environment: everyone on the machine can read a command line. */
function agreedToken(variable: string): NonNullable<FrontAuth['authenticate']> {
  const token = process.env[variable];
  if (token === undefined || token.length < MIN_TOKEN_LENGTH)
    throw new UsageError(
      `--bearer-token-env: ${variable} must hold at least ${MIN_TOKEN_LENGTH} characters; ` +
        'openssl rand -hex 32 makes a good token',
    );
  const expected = digest(token);
  return (request) => {
    const given = /^Bearer +(\S+) *$/i.exec(request.header('authorization') ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected))
      return { principal: `token ${variable}` };
    return {
      status: 401,
      message: 'This server needs a token in the Authorization header',
      headers: { 'WWW-Authenticate': 'Bearer' },
    };
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function ownUrl({ http, host = '127.0.0.1', path = '/mcp' }: FrontAuthFlags): string {
  if (http === 0)
    throw new UsageError('--auth-issuer needs --auth-audience when the port is not known: --http 0');
  return `http://${host.includes(':') ? `[${host}]` : host}:${http}${path}`;
}
