/** Logs in with the browser when the server asks for it, and stays logged in: node examples/auth-client.ts URL */
import { clientCredentials, createFileTokenStore, oauth } from 'plumb-mcp/auth';
import { connect } from 'plumb-mcp/client';

const url = process.argv[2] ?? 'http://127.0.0.1:3400/mcp';
const { CLIENT_ID, CLIENT_SECRET, ISSUER } = process.env;

const auth =
  CLIENT_ID !== undefined && CLIENT_SECRET !== undefined && ISSUER !== undefined
    ? // A program in its own name: its secret goes to this issuer and to nobody else.
      clientCredentials({ client: { id: CLIENT_ID, secret: CLIENT_SECRET, issuer: ISSUER } })
    : // A person: the browser opens at the first 401, tokens are renewed, and shared with the plumb command.
      oauth({ clientName: 'Notes example', store: createFileTokenStore() });

const client = await connect(url, { auth });
for await (const tool of client.tools) console.log(tool.name, '-', tool.description ?? '');

// Needs one more scope than the login gave: the browser opens again, and the call goes on afterwards.
const { content } = await client.tools.call('add_note', { text: 'Hello' });
console.log(content);
await client.close();
