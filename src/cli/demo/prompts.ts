/** Prompts: arguments, completion, pictures and resources. */

import type { Server } from '../../server/index.js';
import { ICONS, PNG_BASE64 } from './media.js';
import { startingWith } from './resources.js';

const LANGUAGES = ['javascript', 'python', 'rust', 'typescript'];
const FRAMEWORKS: Readonly<Record<string, readonly string[]>> = {
  javascript: ['express', 'fastify'],
  python: ['django', 'flask'],
  rust: ['axum', 'rocket'],
  typescript: ['hono', 'nest'],
};

export function addPrompts(server: Server): void {
  server.prompt(
    'review',
    {
      title: 'Review code',
      description: 'Asks for a review of some code.',
      icons: ICONS,
      input: {
        type: 'object',
        properties: {
          code: { type: 'string', title: 'Code', description: 'What to review.' },
          language: { type: 'string', title: 'Language', description: 'What it is written in.' },
          framework: { type: 'string', title: 'Framework', description: 'What it is built on.' },
        },
        required: ['code'],
      },
      complete: {
        language: (value) => startingWith(LANGUAGES, value),
        framework: (value, { language }) =>
          startingWith(
            language === undefined ? Object.values(FRAMEWORKS).flat() : (FRAMEWORKS[language] ?? []),
            value,
          ),
      },
    },
    ({ code, language, framework }) => [
      {
        role: 'user',
        content: {
          type: 'text',
          text: `Review this ${[framework, language, 'code'].filter(Boolean).join(' ')}:\n\n${code}`,
        },
      },
      {
        role: 'assistant',
        content: { type: 'text', text: 'I will look for mistakes first, and for style second.' },
      },
    ],
  );

  server.prompt(
    'describe_picture',
    { title: 'Describe a picture', description: 'Shows a picture and asks what is on it.' },
    () => [
      { role: 'user', content: { type: 'image', data: PNG_BASE64, mimeType: 'image/png' } },
      { role: 'user', content: { type: 'text', text: 'What is on this picture?' } },
    ],
  );

  server.prompt(
    'summarise',
    { title: 'Summarise a resource', description: 'Brings a resource along and asks for a summary.' },
    () => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: 'demo://poem', mimeType: 'text/plain', text: 'Lead falls straight.' },
        },
      },
      { role: 'user', content: { type: 'text', text: 'Summarise this in one sentence.' } },
    ],
  );
}
