/** `plumb test`: runs a test file, once or whenever something changes, or writes one. */

import { PLUMB_VERSION } from '../../protocol/version.js';
import { exitCodeOf, type SuiteResult } from '../../testing/run/result.js';
import { runSuite } from '../../testing/run/run-suite.js';
import { SuiteError } from '../../testing/suite/fields.js';
import { Watcher } from '../../testing/watch/watcher.js';
import { EXIT_OK, UsageError } from '../failure/failure.js';
import { connectLimit } from '../options/flags.js';
import { Interruption } from '../session/interruption.js';
import { repeatCommand } from '../test-runs/repeat-command.js';
import { TestReporter } from '../test-runs/reporters.js';
import type { TestFlags } from '../test-runs/test-flags.js';
import {
  askedSuite,
  chosenServers,
  nameResolver,
  readSuite,
  settingsFrom,
} from '../test-runs/test-target.js';

export type { TestFlags } from '../test-runs/test-flags.js';

export async function test(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TestFlags,
): Promise<number> {
  if (flags.version === true) {
    process.stdout.write(`${PLUMB_VERSION}\n`);
    return EXIT_OK;
  }
  if (flags.action === true) {
    const { runAction } = await import('../test-runs/github-action.js');
    return runAction();
  }
  if (flags.generate === true) {
    const { generateTests } = await import('./test-generate.js');
    return generateTests(words, command, flags);
  }
  const interruption = new Interruption();
  try {
    const once = (signal: AbortSignal, version = ''): Promise<SuiteResult> =>
      runOnce(words, command, flags, signal, version);
    if (flags.watch === true) return await watchAndRun(words, flags, once, interruption);
    const code = exitCodeOf(await once(interruption.signal));
    return interruption.exitCode ?? code;
  } catch (error) {
    if (error instanceof SuiteError) throw new UsageError(error.message, { cause: error });
    throw error;
  } finally {
    interruption.release();
  }
}

async function runOnce(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TestFlags,
  signal: AbortSignal,
  version: string,
): Promise<SuiteResult> {
  const reporter = new TestReporter(flags);
  const asked = askedSuite(words, flags);
  const suite = await readSuite(asked, command, flags, version);
  const result = await runSuite(suite, {
    settings: settingsFrom(flags),
    names: flags.case,
    servers: chosenServers(flags),
    resolveName: nameResolver(flags),
    connectTimeout: connectLimit(flags, {}),
    signal,
    repeat: repeatCommand(words, command, flags, suite),
    onStart: (name) => reporter.started(name),
    onResult: (each) => reporter.ended(each),
  });
  reporter.finish(result);
  return result;
}

async function watchAndRun(
  words: readonly string[],
  flags: TestFlags,
  once: (signal: AbortSignal, version: string) => Promise<SuiteResult>,
  interruption: Interruption,
): Promise<number> {
  const { file } = askedSuite(words, flags);
  let version = 0;
  const note = (text: string): void => void process.stderr.write(`plumb: ${text}\n`);
  const watcher = new Watcher<SuiteResult>(
    {
      run: (changed, signal) => {
        version += 1;
        if (process.stdout.isTTY && version > 1) process.stdout.write('\u001b[2J\u001b[H');
        if (changed.length > 0) note(`changed: ${changed.join(', ')}`);
        return once(signal, String(version));
      },
      onResults: () => note('waiting for changes (Ctrl-C ends)'),
      // The next change may repair it.
      onError: (error) => note(error instanceof Error ? error.message : String(error)),
    },
    { paths: [...(flags.watchPaths ?? ['.']), ...(file === undefined ? [] : [file])] },
  );
  watcher.start();
  await new Promise<void>((resolve) => {
    interruption.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await watcher.stop();
  return EXIT_OK;
}
