/**
 * A transport of your own: MCP between threads, over a MessagePort. A transport moves texts of messages; revisions,
 * sessions, requests and time-outs are none of its business.
 */
import { decodeText, encodeMessage } from 'plumb-mcp/jsonrpc';
import { TransportError } from 'plumb-mcp/transports';

/**
 * @param {import('node:worker_threads').MessagePort} port
 * @returns {import('plumb-mcp/transports').Transport}
 */
export function portTransport(port) {
  /** @type {import('plumb-mcp/transports').Receiver | undefined} */
  let receiver;
  let isOpen = false;

  /** Reported once, whatever ends the connection first. @param {import('plumb-mcp/transports').CloseReason} reason */
  function end(reason) {
    if (!isOpen) return;
    isOpen = false;
    port.close();
    receiver?.closed(reason);
  }

  return {
    label: 'message port',
    async start(given) {
      receiver = given;
      isOpen = true;
      // Decoding never throws: what is no message reaches the receiver as malformed.
      port.on('message', (text) => given.message(decodeText(String(text)), String(text)));
      port.on('close', () => end({ kind: 'remote' }));
    },
    async send(message) {
      if (!isOpen) throw new TransportError('connection_closed', 'The port is closed; open another one');
      port.postMessage(typeof message === 'string' ? message : encodeMessage(message));
    },
    async close() {
      end({ kind: 'local' });
    },
  };
}
