/** How long Node takes to import a module, in a process that has imported nothing else: prints milliseconds. */
const started = performance.now();
await import(process.argv[2] ?? '');
process.stdout.write(String(performance.now() - started));
process.exit();
