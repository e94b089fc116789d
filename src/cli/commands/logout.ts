import { reportLine } from '../output/report.js';
import { openCredentials } from '../session/credentials.js';
import type { TargetFlags } from '../target/target.js';
import { loginTarget, urlOf } from './login.js';

export async function logout(words: readonly string[], flags: Pick<TargetFlags, 'config'>): Promise<number> {
  const url = urlOf(loginTarget(words, flags, 'logout'));
  const place = `${url.origin}${url.pathname}`;
  const auth = await openCredentials(false);
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
