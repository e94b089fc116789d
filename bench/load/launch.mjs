/** A contender's server over stdio as a program of its own, as a client would start it: `launch.mjs MODULE`. */
const { serve } = await import(process.argv[2] ?? '');
await serve({});
