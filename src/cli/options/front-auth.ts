/** Which callers an HTTP listener admits: those with an access token of an issuer, or with a fixed token. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { HttpServeOptions } from '../../server/index.js';
import { UsageError } from '../failure/failure.js';
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
      'require the token in this environment variable from callers (with --http)',
    )
    .addOption(
      new Option(
        '--auth-issuer <url>',
        'require an access token of this authorization server from callers (repeatable)',
      ).argParser(collect),
    )
    .addOption(
      new Option(
        '--auth-audience <url>',
        'the audience that such tokens must have (repeatable; default: the URL of this server)',
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
  const { bearer } = await import('../../auth/index.js');
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

/** The token comes from the environment, because every user of the machine can read a command line. */
function agreedToken(variable: string): NonNullable<FrontAuth['authenticate']> {
  const token = process.env[variable];
  if (token === undefined || token.length < MIN_TOKEN_LENGTH)
    throw new UsageError(
      `--bearer-token-env: ${variable} ${token === undefined ? 'is not set; it ' : ''}must hold at least ${MIN_TOKEN_LENGTH} characters; ` +
        'generate one with: openssl rand -hex 32',
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
