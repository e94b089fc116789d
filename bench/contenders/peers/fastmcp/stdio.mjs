import { createEchoServer } from './server.mjs';

export async function serve(serving) {
  await createEchoServer(serving).start({ transportType: 'stdio' });
}
