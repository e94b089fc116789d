/** A tool for each way to fail. */

import { ProtocolError, type Server, ToolError } from '../../../server/index.js';

export function addFailingTools(server: Server): void {
  server.tool(
    'fail',
    {
      title: 'Fail',
      description: 'Fails as a tool (the model reads why), as a protocol error, or unexpectedly.',
      annotations: { readOnlyHint: true },
      input: {
        type: 'object',
        properties: { how: { type: 'string', enum: ['tool', 'protocol', 'unexpected'], default: 'tool' } },
      },
    },
    ({ how = 'tool' }) => {
      switch (how) {
        case 'tool':
          throw new ToolError('This tool always fails. Choose another one.');
        case 'protocol':
          throw new ProtocolError('application', 'The demo refuses this call', {
            rpcCode: -32050,
            data: { how },
          });
        case 'unexpected':
          throw new Error('A detail that clients must not see');
      }
    },
  );
}
