/** A server of this process as lines, for the validator. */

import type { TransportSource } from '../../transports/target.js';
import type { OpenPipe } from './line-pipe.js';

export function sourcePipe(source: TransportSource): OpenPipe {
  return async (events) => {
    const transport = await source.transport();
    await transport.start({
      message: (_decoded, text) => events.line(text),
      fault: () => {},
      closed: () => events.ended('the server closed the connection'),
    });
    const decoder = new TextDecoder();
    let pending = '';
    return {
      write: async (data) => {
        pending += typeof data === 'string' ? data : decoder.decode(data, { stream: true });
        const lines = pending.split('\n');
        pending = lines.pop() ?? '';
        for (const line of lines) if (line !== '') await transport.send(line);
      },
      terminate: () => void transport.close(),
      endInput: () => void transport.close(),
      close: () => transport.close(),
    };
  };
}
