import { connect, createServer } from 'node:net';

/**
 * @typedef {object} Balancer
 * @property {string} url
 * @property {() => number} connections  how many it has passed on
 * @property {() => void} close
 */

/**
 * The plainest balancer there is: each connection goes to the next node, whatever it carries. It knows nothing of
 * sessions; a node that refuses is passed over.
 *
 * @param {() => readonly number[]} ports  of the nodes at this moment
 * @returns {Promise<Balancer>}
 */
export function startBalancer(ports) {
  let next = 0;
  let passed = 0;
  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => client.destroy());
    const candidates = ports();
    next += 1;
    passed += 1;
    /** @param {number} attempt */
    const dial = (attempt) => {
      const port = candidates[(next + attempt) % candidates.length];
      if (port === undefined || attempt >= candidates.length) {
        client.destroy();
        return;
      }
      const node = connect({ port, host: '127.0.0.1', noDelay: true });
      const refused = () => dial(attempt + 1);
      node.once('error', refused);
      node.once('connect', () => {
        node.off('error', refused);
        node.on('error', () => client.destroy());
        // A reset must not look like a proper end: the client could take half an answer for a whole one.
        node.on('close', (failed) => (failed ? client.resetAndDestroy() : client.destroy()));
        client.on('close', () => node.destroy());
        client.pipe(node).pipe(client);
      });
    };
    dial(0);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      resolve({
        url: `http://127.0.0.1:${port}/mcp`,
        connections: () => passed,
        close: () => server.close(),
      });
    });
  });
}
