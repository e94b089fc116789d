/** Tools whose input schemas the suite reads. */

import type { Server } from '../../../server/index.js';

export function addSchemaFixtures(server: Server): void {
  server.tool(
    'json_schema_2020_12_tool',
    {
      description: 'Conformance: has keywords of JSON Schema 2020-12.',
      input: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      },
    },
    (args) => `JSON Schema 2020-12 tool called with: ${JSON.stringify(args)}`,
  );

  server.tool(
    'test_x_mcp_header',
    {
      description: 'Conformance: has an argument that clients mirror into a header.',
      input: {
        type: 'object',
        properties: {
          region: { type: 'string', description: 'Region to route to.', 'x-mcp-header': 'Region' },
          query: { type: 'string' },
        },
        required: ['region'],
      },
    },
    ({ region }) => `Routed to ${region}.`,
  );
}
