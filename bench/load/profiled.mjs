/** Loaded first by a program that answers no questions: a signal starts its profile, and a second one ends it. */
import { profile } from '../profiling.mjs';

const name = new URL(import.meta.url).searchParams.get('name') ?? 'program';
let on = false;

process.on('SIGUSR2', () => {
  on = !on;
  profile(name, on).catch((error) => console.error(error));
});
