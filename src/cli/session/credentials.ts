/** Credentials of commands that talk to a URL: what `plumb login` left in the user's file, renewed when it has to be. */

import type { Login } from '../../auth/client/interaction.js';
import type { OAuthOptions } from '../../auth/client/oauth.js';
import type { Interaction, OAuth, TokenStore } from '../../auth/index.js';
import type { Dialog } from '../answers/dialog.js';
import { UsageError } from '../failure/failure.js';
import type { ResolvedTarget, TargetFlags } from '../target/target.js';

/** For a client that was registered by hand. */
export interface RegistrationFlags {
  readonly clientId?: string;
  readonly issuer?: string;
}

/** Which of several logins at the same server. */
export interface AccountFlags {
  readonly account?: string | undefined;
}

/** Never on the command line, which every user of the machine can read. */
const SECRET_VARIABLE = 'PLUMB_CLIENT_SECRET';

export interface CredentialOptions {
  readonly signal: AbortSignal;
  note(text: string): void;
}

/** The URL of a target that may need a login; undefined for programs, and where the user brings credentials along. */
export function protectedUrl(
  { target }: Pick<ResolvedTarget, 'target'>,
  { header = [] }: TargetFlags = {},
): URL | undefined {
  if (!('url' in target)) return undefined;
  const names = [...Object.keys(target.headers ?? {}), ...header.map((text) => text.split(':')[0] ?? '')];
  if (names.some((name) => name.trim().toLowerCase() === 'authorization')) return undefined;
  return URL.canParse(String(target.url)) ? new URL(target.url) : undefined;
}

/** `interaction` false: uses and renews stored tokens, and never opens a login page. */
export async function openCredentials(
  interaction: OAuthOptions['interaction'],
  options: Omit<OAuthOptions, 'interaction' | 'store'> & AccountFlags = {},
): Promise<OAuth> {
  const { createFileTokenStore, oauth } = await import('../../auth/index.js');
  const { account, ...rest } = options;
  const store = ofAccount(createFileTokenStore(), account);
  return oauth({ clientName: 'Plumb', ...rest, store, interaction });
}

/** The logins of one account at each server, apart from those of the others. */
export function ofAccount(store: TokenStore, account: string | undefined): TokenStore {
  if (account === undefined) return store;
  if (!/^[\w.@+-]{1,100}$/.test(account))
    throw new UsageError(`"${account}" is not a name for an account; use letters, digits and . _ @ + -`);
  const key = (name: string): string => `account ${account} ${name}`;
  return {
    get: (name) => store.get(key(name)),
    set: (name, value) => store.set(key(name), value),
    lock: (name, work) => store.lock(key(name), work),
  };
}

export function registeredClient({
  clientId,
  issuer = 'discovered',
}: RegistrationFlags): Pick<OAuthOptions, 'client' | 'rememberClient'> {
  if (clientId === undefined) return {};
  const secret = process.env[SECRET_VARIABLE];
  return {
    client: { id: clientId, issuer, ...(secret === undefined ? {} : { secret }) },
    rememberClient: true,
  };
}

/** Asks for confirmation before the browser opens, if there is a terminal. */
export async function offerLogin(
  dialog: Dialog | undefined,
  options: CredentialOptions,
): Promise<Interaction | false> {
  if (dialog === undefined) return false;
  const { AuthError } = await import('../../auth/index.js');
  const browser = await openedBrowser(options, true);
  return {
    open: async (preferred) => {
      const agreed = await dialog.converse(options.signal, async ({ ask }) => {
        const answer = await ask('This server needs you to log in. Open the browser now? [Y/n] ');
        return answer !== undefined && /^(y|yes|)$/i.test(answer.trim());
      });
      if (agreed) return browser.open(preferred);
      throw new AuthError(
        'login_cancelled',
        'This server requires a login; run plumb login when you are ready',
      );
    },
  };
}

/** The login page in the browser of this machine, or its URL where there is none. */
export async function openedBrowser(
  { signal, note }: CredentialOptions,
  browser: boolean,
): Promise<Interaction> {
  const { loopback } = await import('../../auth/index.js');
  const { openBrowser } = await import('../../auth/client/node-browser.js');
  const show = async ({ url, issuer }: Login): Promise<void> => {
    const opened = browser && (await openBrowser(url));
    const what = opened
      ? 'Your browser opens for the login'
      : 'Open this page in a browser on this machine for the login';
    note(`${what} at ${issuer}:\n  ${url.href}`);
  };
  return loopback({ signal, show });
}
