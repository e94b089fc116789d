/** The built package. This folder has a package.json of its own, so it cannot import the package by its name. */

/** @type {typeof import('plumb-mcp/server')} */
const server = await import(new URL('../dist/server/index.js', import.meta.url).href);
/** @type {typeof import('plumb-mcp/client')} */
const client = await import(new URL('../dist/client/index.js', import.meta.url).href);
/** @type {typeof import('../src/cli/demo/server.js')} */
const demo = await import(new URL('../dist/cli/demo/server.js', import.meta.url).href);

export const { elicit, ProtocolError, roots, sample, ToolError } = server;
export const { connect } = client;
export const { createDemoServer } = demo;

/** @returns {Promise<typeof import('plumb-mcp/chain')>} */
export const importChain = () => import(new URL('../dist/chain/index.js', import.meta.url).href);
/** @returns {Promise<typeof import('plumb-mcp/store')>} */
export const importStore = () => import(new URL('../dist/store/index.js', import.meta.url).href);
