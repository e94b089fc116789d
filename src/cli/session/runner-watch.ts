/**
 * `npx plumb` and scripts of npm run the command under a shell, and a signal for npm reaches that shell alone: it ends,
 * and the command would go on by itself, with its port and its servers.
 */

const EVERY_MS = 500;

/** Calls back when the shell of npm that runs this command is gone. Returns what ends the watch. */
export function watchRunner(gone: () => void): () => void {
  if (!isRunByNpm(process.env.npm_lifecycle_script)) return () => undefined;
  const runner = process.ppid;
  const timer = setInterval(() => {
    // An orphan gets another parent.
    if (process.ppid === runner) return;
    clearInterval(timer);
    gone();
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A script that puts the command in the background wants it to go on. */
export function isRunByNpm(script: string | undefined): boolean {
  return script !== undefined && /^'?plumb\b/.test(script) && !/&\s*$/.test(script);
}
