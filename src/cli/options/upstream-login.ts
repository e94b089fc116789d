/** Logins towards the servers behind a proxy or a chain: those of `plumb login`, or made when a server asks for one. */

import { type Command, Option } from 'commander';
import type { OAuth } from '../../auth/index.js';
import { printable } from '../../protocol/display.js';
import {
  type AccountFlags,
  openCredentials,
  openedBrowser,
  type RegistrationFlags,
  registeredClient,
} from '../session/credentials.js';
import { collect } from './flags.js';

export interface UpstreamLoginFlags extends RegistrationFlags, AccountFlags {
  readonly scope?: readonly string[];
  /** False with `--no-browser`. */
  readonly browser?: boolean;
}

export function addUpstreamLoginOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--scope <scope>', 'log in to the server with this scope (repeatable)').argParser(collect),
    )
    .option('--client-id <id>', 'log in with a manually registered client')
    .option('--issuer <url>', 'the authorization server that this client is registered with')
    .option('--no-browser', 'only print the address of the login page');
}

/** Runs `work` with credentials for servers behind URLs; a login that is under way ends with it. */
export async function withUpstreamLogin(
  flags: UpstreamLoginFlags,
  work: (credentials: OAuth) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  try {
    // There is no prompt: stdin and stdout belong to the client, or there is no terminal.
    const note = (text: string): void => void process.stderr.write(`plumb: ${printable(text)}\n`);
    const browser = await openedBrowser({ signal: controller.signal, note }, flags.browser !== false);
    const scopes = flags.scope === undefined ? {} : { scopes: flags.scope };
    return await work(
      await openCredentials(browser, { ...scopes, ...registeredClient(flags), account: flags.account }),
    );
  } finally {
    controller.abort(new Error('The command has ended'));
  }
}
