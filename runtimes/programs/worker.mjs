/** A Worker: a server at /mcp, and a client at /client that reports what it did. */
import { connect } from 'plumb-mcp/client';
import { runBehaviours, textOfError, useOfficialServer } from './behaviours.mjs';
import { REVISIONS } from './revisions.mjs';
import { createTestedServer } from './server.mjs';

const server = createTestedServer();

export default {
  /** @param {Request} request */
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/mcp') return server.fetch(request);
    const target = searchParams.get('target') ?? '';
    if (pathname === '/official') return Response.json(await useOfficialServer(target));
    if (pathname === '/refusals') return Response.json(await refusals());
    const revision = REVISIONS.find(({ version }) => version === searchParams.get('revision'));
    if (revision === undefined) return new Response(null, { status: 404 });
    return Response.json(await runBehaviours(target, revision));
  },
};

/** What a Worker cannot do says so. */
async function refusals() {
  const attempts = {
    'server.stdio()': () => createTestedServer().stdio(),
    'server.http()': () => createTestedServer().http(),
    'connect({ command })': () => connect({ command: 'node', args: ['server.js'] }),
  };
  /** @type {Record<string, string>} */
  const texts = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    texts[name] = await attempt().then(() => 'nothing', textOfError);
  }
  return texts;
}
