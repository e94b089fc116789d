import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
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
