/** The global fetch and nothing else: what a client on top of it can reach at best. */
import { ECHO_ARGUMENTS } from '../../../workload.mjs';

export async function connectHttp(url) {
  let id = 0;
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return {
    call: async () => {
      id += 1;
      const params = { name: 'echo', arguments: ECHO_ARGUMENTS };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
      const answer = await (await fetch(url, { method: 'POST', headers, body })).json();
      return answer.result.content[0].text;
    },
    close: () => {},
  };
}
