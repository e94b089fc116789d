#!/usr/bin/env node
// `npm create plumb-mcp DIR` is `plumb new DIR`, for people who have not installed Plumb.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const manifest = createRequire(import.meta.url).resolve('plumb-mcp/package.json');
const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
process.argv.splice(2, 0, 'new');
await import(pathToFileURL(join(dirname(manifest), bin.plumb)).href);
