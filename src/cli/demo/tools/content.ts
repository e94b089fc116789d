/** Tools that answer at once, one for each kind of content. */

import type { Server } from '../../../server/index.js';
import { ICONS, PNG_BASE64, toneBase64 } from '../media.js';

export function addContentTools(server: Server): void {
  server.tool(
    'hello',
    {
      title: 'Hello',
      description: 'Greets a person.',
      icons: ICONS,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      input: { type: 'object', properties: { name: { type: 'string', description: 'Whom to greet.' } } },
    },
    ({ name }) => `Hello, ${name ?? 'world'}!`,
  );

  server.tool(
    'echo',
    {
      title: 'Echo',
      description: 'Returns the message it was given.',
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      input: {
        type: 'object',
        properties: { message: { type: 'string', description: 'What to return.' } },
        required: ['message'],
      },
    },
    ({ message }) => message,
  );

  server.tool(
    'add',
    {
      title: 'Add',
      description: 'Adds two numbers. The result is structured: an object with the sum.',
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      input: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    },
    ({ a, b }) => ({ sum: a + b }),
  );

  server.tool(
    'primes',
    {
      title: 'Primes',
      description: 'Lists the first prime numbers. The result is structured, and not an object: a list.',
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      input: {
        type: 'object',
        properties: { count: { type: 'integer', minimum: 1, maximum: 1_000, default: 10 } },
      },
      output: { type: 'array', items: { type: 'integer' } },
    },
    ({ count }) => firstPrimes(count ?? 10),
  );

  server.tool(
    'describe',
    {
      title: 'Describe',
      description: 'Shows the arguments it got: every kind that a schema can ask for.',
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      input: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          integer: { type: 'integer' },
          number: { type: 'number' },
          flag: { type: 'boolean' },
          colour: { type: 'string', enum: ['red', 'green', 'blue'] },
          tags: { type: 'array', items: { type: 'string' } },
          sizes: { type: 'array', items: { type: 'integer' } },
          place: {
            type: 'object',
            properties: { city: { type: 'string' }, floor: { type: 'integer' } },
          },
        },
      },
      output: { type: 'object' },
    },
    (args) => ({ ...args }),
  );

  server.tool(
    'image',
    { title: 'Image', description: 'Returns a small picture.', annotations: { readOnlyHint: true } },
    () => ({ type: 'image', data: PNG_BASE64, mimeType: 'image/png', annotations: { audience: ['user'] } }),
  );

  server.tool(
    'sound',
    {
      title: 'Sound',
      description: 'Returns a short tone.',
      annotations: { readOnlyHint: true },
      input: {
        type: 'object',
        properties: { hertz: { type: 'number', minimum: 50, maximum: 4_000, default: 440 } },
      },
    },
    ({ hertz }) => ({ type: 'audio', data: toneBase64(hertz ?? 440, 250), mimeType: 'audio/wav' }),
  );

  server.tool(
    'resources',
    {
      title: 'Resources',
      description: 'Returns text, a link to a resource, and another resource with its contents.',
      annotations: { readOnlyHint: true },
    },
    () => [
      { type: 'text', text: 'A link, and a resource that comes along:', annotations: { priority: 0.5 } },
      {
        type: 'resource_link',
        uri: 'demo://readme',
        name: 'readme',
        title: 'Read me',
        description: 'What this server is for.',
        mimeType: 'text/markdown',
      },
      {
        type: 'resource',
        resource: { uri: 'demo://poem', mimeType: 'text/plain', text: 'Lead falls straight.' },
      },
    ],
  );
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}
