/** What an official client sees of a server: everything it lists, and how its tools refuse calls without arguments. */
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

const IDENTITY = { name: 'compare', version: '1.0.0' };
const LIMIT = { timeout: 60_000 };
const MAX_CALLS = 5;

/** @typedef {{ command: string, args: string[], env?: Record<string, string>, cwd?: string }} Program */

/**
 * @param {'v1' | 'v2'} sdk
 * @param {Program} program
 * @returns {Promise<Record<string, unknown>>}
 */
export async function observe(sdk, program) {
  const given = { ...program, stderr: /** @type {const} */ ('ignore') };
  const client = sdk === 'v1' ? new ClientV1(IDENTITY) : new ClientV2(IDENTITY);
  const transport = sdk === 'v1' ? new StdioV1(given) : new StdioV2(given);
  try {
    // The two SDKs have the same methods, and types that do not know each other.
    const any = /** @type {ClientV1} */ (client);
    await any.connect(/** @type {StdioV1} */ (transport), LIMIT);
    const { tools } = await any.listTools(undefined, LIMIT).catch(() => ({ tools: [] }));
    /** @type {Record<string, unknown>} */
    const seen = {
      server: any.getServerVersion(),
      capabilities: any.getServerCapabilities(),
      instructions: any.getInstructions(),
      tools: await outcome(() => any.listTools(undefined, LIMIT)),
      prompts: await outcome(() => any.listPrompts(undefined, LIMIT)),
      resources: await outcome(() => any.listResources(undefined, LIMIT)),
      templates: await outcome(() => any.listResourceTemplates(undefined, LIMIT)),
      'unknown tool': await outcome(() =>
        any.callTool({ name: 'no such tool', arguments: {} }, undefined, LIMIT),
      ),
    };
    // A call without the arguments that a tool requires changes nothing.
    const refusing = tools.filter(({ inputSchema }) => (inputSchema.required ?? []).length > 0);
    for (const { name } of refusing.slice(0, MAX_CALLS)) {
      seen[`call ${name}`] = await outcome(() => any.callTool({ name, arguments: {} }, undefined, LIMIT));
    }
    return seen;
  } finally {
    await client.close();
  }
}

/** @param {() => Promise<unknown>} request */
async function outcome(request) {
  try {
    return await request();
  } catch (error) {
    // What a method that does not exist is called in the message is free.
    const { code, message, data } = /** @type {{ code?: unknown, message?: string, data?: unknown }} */ (
      error
    );
    return code === -32601 ? { error: { code } } : { error: { code, message, data } };
  }
}
