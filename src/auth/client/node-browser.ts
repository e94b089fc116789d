/** Opens a page in the user's browser. The URL is an argument of a program, never part of a shell's command line. */

import { spawn } from 'node:child_process';
import { systemProgram } from '../../transports/stdio/windows-program.js';
import { assertSecure } from './network-policy.js';

/** False when there is no browser to open, as on a server without a screen. */
export async function openBrowser(url: URL, environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  // `javascript:`, `file:` and the like come from servers too.
  assertSecure(url, 'The page to open');
  const [program, ...args] = browserCommand(environment);
  if (program === undefined) return false;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url.href], { stdio: 'ignore', detached: true, shell: false });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function browserCommand({ BROWSER, DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): readonly string[] {
  // A program, not a command line: it is not split into words.
  if (BROWSER !== undefined && BROWSER !== '') return [BROWSER];
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32')
    return [systemProgram(['System32'], 'rundll32.exe'), 'url.dll,FileProtocolHandler'];
  const screen = (DISPLAY ?? '') !== '' || (WAYLAND_DISPLAY ?? '') !== '';
  return screen ? ['xdg-open'] : [];
}
