/** Serves over stdio. */
import { createTestedServer } from './server.mjs';

await createTestedServer().stdio();
