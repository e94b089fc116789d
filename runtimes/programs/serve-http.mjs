/** Listens with `server.http()`, and prints where. */
import { createTestedServer } from './server.mjs';

const { origin } = await createTestedServer().http({ port: 0, legacySse: true });
console.log(origin);
