/** What the clients of both official SDKs have in common. */
import { cannedAnswer } from '../../load/canned.mjs';
import { ECHO, ECHO_ARGUMENTS } from '../../workload.mjs';

function textOf({ content }) {
  return content[0].text;
}

/** @param Client  of one of the SDKs */
export function openWith(Client) {
  async function transport(opened) {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(opened);
    return {
      call: () => client.callTool({ name: ECHO.name, arguments: ECHO_ARGUMENTS }).then(textOf),
      close: () => client.close(),
    };
  }
  /** The other end of the pair answers from prepared text. Messages cross as objects here, so calls need none. */
  async function memory(InMemoryTransport) {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const { result } = JSON.parse(cannedAnswer('{"id":1,"method":"tools/call"}'));
    theirs.onmessage = (message) => {
      if (message.method === 'tools/call') return theirs.send({ jsonrpc: '2.0', id: message.id, result });
      const answer = cannedAnswer(JSON.stringify(message));
      return answer === undefined ? undefined : theirs.send(JSON.parse(answer));
    };
    await theirs.start();
    return transport(ours);
  }
  return { transport, memory };
}
