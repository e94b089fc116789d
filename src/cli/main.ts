/** All commands: what `plumb` loads unless it only connects a client to the hub (plumb.ts). */

// `plumb list | head` closes our output early, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
const { run } = await import('./program/program.js');
process.exitCode = await run(process.argv.slice(2));

export {};
