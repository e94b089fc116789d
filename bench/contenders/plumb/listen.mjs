import { createEchoServer } from './server.mjs';

export async function serve() {
  const server = await createEchoServer({});
  const { url } = await server.http({ port: 0 });
  return { url, actions: { change: () => server.listChanged('tools') } };
}
