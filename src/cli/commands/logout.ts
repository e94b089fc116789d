import { reportLine } from '../output/report.js';
import { type AccountFlags, openCredentials } from '../session/credentials.js';
import type { TargetFlags } from '../target/target.js';
import { loginTarget, urlOf } from './login.js';

export async function logout(
  words: readonly string[],
  flags: Pick<TargetFlags, 'config'> & AccountFlags,
): Promise<number> {
  const target = loginTarget(words, flags, 'logout');
  const url = urlOf(target);
  const place = `${url.origin}${url.pathname}`;
  const auth = await openCredentials(false, { account: flags.account ?? target.account });
  try {
    const wasLoggedIn = await auth.forServer(url).logout();
    process.stdout.write(wasLoggedIn ? `Logged out of ${place}\n` : `You were not logged in to ${place}\n`);
  } catch (error) {
    // Forgotten here all the same; what is left ends by itself.
    process.stdout.write(`Logged out of ${place}\n`);
    reportLine(error instanceof Error ? error.message : String(error));
  }
  return 0;
}
