// TypeScript that Node runs as it is, where it strips types.
import { createServer } from 'plumb-mcp/server';

interface Greeting {
  readonly text: string;
}

const server = createServer({ name: 'typed', version: '1.0.0' });

server.tool('hello', { description: 'Greets' }, (): string => {
  const greeting: Greeting = { text: 'hello' };
  return greeting.text;
});

await server.stdio();
