import type { Server } from '../../../server/index.js';
import { PNG_BASE64 } from '../media.js';
import { embedded } from './content.js';

export function addPromptFixtures(server: Server): void {
  server.prompt(
    'test_simple_prompt',
    { description: 'Conformance: a prompt without arguments.' },
    () => 'This is a simple prompt for testing.',
  );

  server.prompt(
    'test_prompt_with_arguments',
    {
      description: 'Conformance: a prompt with two arguments.',
      input: {
        type: 'object',
        properties: {
          arg1: { type: 'string', description: 'First test argument' },
          arg2: { type: 'string', description: 'Second test argument' },
        },
        required: ['arg1', 'arg2'],
      },
      complete: { arg1: (value) => ['test1', 'test2', 'paris'].filter((known) => known.startsWith(value)) },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );

  server.prompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'Conformance: a prompt with a resource in it.',
      input: {
        type: 'object',
        properties: { resourceUri: { type: 'string', description: 'URI of the resource to embed' } },
        required: ['resourceUri'],
      },
    },
    ({ resourceUri }) => [
      { role: 'user', content: embedded(resourceUri, 'Embedded resource content for testing.') },
      { role: 'user', content: { type: 'text', text: 'Please process the embedded resource above.' } },
    ],
  );

  server.prompt(
    'test_prompt_with_image',
    { description: 'Conformance: a prompt with an image in it.' },
    () => [
      { role: 'user', content: { type: 'image', data: PNG_BASE64, mimeType: 'image/png' } },
      { role: 'user', content: { type: 'text', text: 'Please analyze the image above.' } },
    ],
  );
}
