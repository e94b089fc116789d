/** Plumb as it was built: what users get. */
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Where another build is to be measured. */
export const DIST_VARIABLE = 'PLUMB_BENCH_DIST';

/** The directory of the build. */
export const dist = process.env[DIST_VARIABLE] ?? fileURLToPath(new URL('../../../dist', import.meta.url));

/** @param {string} entry */
const load = (entry) => import(pathToFileURL(`${dist}/${entry}/index.js`).href);

/** @returns {Promise<typeof import('plumb-mcp/server')>} */
export const importServer = () => load('server');

/** @returns {Promise<typeof import('plumb-mcp/client')>} */
export const importClient = () => load('client');

/** @returns {Promise<typeof import('plumb-mcp/transports')>} */
export const importTransports = () => load('transports');

/** @returns {Promise<typeof import('plumb-mcp/store')>} */
export const importStore = () => load('store');
