/** A network between a client and a server that can be cut. */

import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from './plumb.js';

export interface Forwarder {
  /** The same address, by way of the network. */
  readonly url: string;
  /** Drops every connection, and refuses new ones until it is mended. */
  cut(): void;
  mend(): void;
}

export async function forward(test: Test, target: string): Promise<Forwarder> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  test.onTestFinished(() => {
    cut();
    server.close();
  });
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const mend = (): void => {
    isCut = false;
  };
  return { url: url.href, cut, mend };
}
