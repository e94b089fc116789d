/** Tools whose results the suite looks at: content, errors, progress and log messages. */

import { setTimeout as delay } from 'node:timers/promises';
import { type ContentBlock, type Server, ToolError } from '../../../server/index.js';
import { PNG_BASE64, toneBase64 } from '../media.js';

const STEP_MS = 50;

const IMAGE: ContentBlock = { type: 'image', data: PNG_BASE64, mimeType: 'image/png' };

export function addContentFixtures(server: Server): void {
  server.tool(
    'test_simple_text',
    { description: 'Conformance: returns text.' },
    () => 'This is a simple text response for testing.',
  );

  server.tool('test_image_content', { description: 'Conformance: returns an image.' }, () => IMAGE);

  server.tool('test_audio_content', { description: 'Conformance: returns audio.' }, () => ({
    type: 'audio',
    data: toneBase64(440, 50),
    mimeType: 'audio/wav',
  }));

  server.tool(
    'test_embedded_resource',
    { description: 'Conformance: returns a resource with its contents.' },
    () => embedded('test://embedded-resource', 'This is an embedded resource content.'),
  );

  server.tool(
    'test_multiple_content_types',
    { description: 'Conformance: returns text, an image and a resource.' },
    (): ContentBlock[] => [
      { type: 'text', text: 'Multiple content types test:' },
      IMAGE,
      embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  );

  server.tool('test_error_handling', { description: 'Conformance: fails as a tool.' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing');
  });

  server.tool(
    'test_tool_with_progress',
    { description: 'Conformance: reports progress three times.' },
    async (_args, ctx) => {
      for (const progress of [0, 50, 100]) {
        ctx.progress(progress, 100, `Completed step ${progress} of 100`);
        await delay(STEP_MS, undefined, { signal: ctx.signal });
      }
      return 'Progress was reported.';
    },
  );

  server.tool(
    'test_tool_with_logging',
    { description: 'Conformance: logs three messages.' },
    async (_args, ctx) => {
      for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        ctx.log('info', message);
        await delay(STEP_MS, undefined, { signal: ctx.signal });
      }
      return 'Messages were logged.';
    },
  );

  server.tool(
    'test_logging_tool',
    { description: 'Conformance: logs, for clients that asked for it.' },
    (_args, ctx) => {
      ctx.log('info', 'A message for clients that set a level');
      return 'A message was logged.';
    },
  );
}

export function embedded(uri: string, text: string, mimeType = 'text/plain'): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text } };
}
