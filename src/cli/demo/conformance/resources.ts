import type { Server } from '../../../server/index.js';
import { PNG_BYTES } from '../media.js';

export function addResourceFixtures(server: Server): void {
  server.resource(
    'test://static-text',
    { name: 'Static text', description: 'Conformance: a text resource.', mimeType: 'text/plain' },
    () => 'This is the content of the static text resource.',
  );

  server.resource(
    'test://static-binary',
    { name: 'Static binary', description: 'Conformance: a binary resource.', mimeType: 'image/png' },
    () => PNG_BYTES,
  );

  server.resource(
    'test://watched-resource',
    {
      name: 'Watched resource',
      description: 'Conformance: a resource to subscribe to.',
      mimeType: 'text/plain',
    },
    () => 'Watched resource content',
  );

  server.resource(
    'test://template/{id}/data',
    {
      name: 'Template',
      description: 'Conformance: a resource behind a template.',
      mimeType: 'application/json',
    },
    ({ variables: { id } }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  );
}
