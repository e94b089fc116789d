import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { openWith } from '../client.mjs';

const open = openWith(Client);

export function connectMemory() {
  return open.memory(InMemoryTransport);
}

export function connectStdio(command, args) {
  return open.transport(new StdioClientTransport({ command, args }));
}

export function connectHttp(url) {
  return open.transport(new StreamableHTTPClientTransport(new URL(url)));
}
