/** The bare server over stdio as a program of its own, to stand behind a proxy. */
import { serve } from '../contenders/limit/stdio.mjs';

serve({});
process.stdin.on('end', () => process.exit());
