#!/usr/bin/env node
/** The command `plumb`. */

process.exitCode = await start(process.argv.slice(2));

/** `plumb connect` starts with every server of every client: it does not load the other commands. */
async function start(words: readonly string[]): Promise<number> {
  const [command, first] = words;
  if (command === 'connect' && first !== undefined && !first.startsWith('-')) {
    const { connectToHub } = await import('./hub/connect.js');
    return connectToHub(words.slice(1), process.argv[1] ?? '');
  }
  // `plumb list | head` closes our output early, which is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const { run } = await import('./program/program.js');
  return run(words);
}
