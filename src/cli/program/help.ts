/** What help adds to the list of options: targets, syntax, examples, exit codes. */

const TARGET = `
TARGET is a URL or a name in a config file, as the first argument; or a command that starts the server, after --.`;

export const ROOT_HELP: string = `${TARGET}

Examples:
  plumb list -- plumb demo --stdio
  plumb call add a=2 b=3 -- plumb demo --stdio
  plumb read files file:///notes.txt --config mcp.json

Exit codes:
  0 success, 1 the tool failed or the server answered with an error, 2 wrong usage, 3 no connection, 4 timeout,
  130 interrupted (143 by SIGTERM). PLUMB_DEBUG=1 shows stack traces, NO_COLOR=1 disables colours.`;

export const LIST_HELP: string = `${TARGET}

Examples:
  plumb list -- node server.js
  plumb list files tools --json
  plumb list --clients
  plumb list https://example.com/mcp prompts --header 'Authorization: Bearer ...'`;

export const CALL_HELP: string = `${TARGET}

How to write arguments:
  key=value      converted to the type in the tool's schema: text, number, true/false, JSON for objects
  key=a key=b    a list
  a.b=value      b within the object a
  key:=JSON      exactly this JSON, without conversion
  key=@file      the content of a file; key=@- reads stdin, key=@@text is the text @text
  @file.json, -  all arguments from a file or from stdin, as a JSON object; '{...}' is such an object

When the server requests input during the call, the command prompts you on the terminal. Without a terminal it
declines forms, except those that --answer or --answers fills in, and answers sampling requests with --sample-text.

Examples:
  plumb call echo message=hi -- plumb demo --stdio
  plumb call files search pattern='*.md' limit=5
  plumb call image --out picture.png -- plumb demo --stdio
  plumb call book_table --answer confirmed=yes -- plumb demo --stdio
  echo '{"message": "hi"}' | plumb call echo - -- plumb demo --stdio`;

export const READ_HELP: string = `${TARGET}

Examples:
  plumb read demo://readme -- plumb demo --stdio
  plumb read demo://logo.png --out logo.png -- plumb demo --stdio`;

export const PROMPT_HELP: string = `${TARGET}

Examples:
  plumb prompt review code='let x' language=typescript -- plumb demo --stdio`;

export const COMPLETE_HELP: string = `${TARGET}

Examples:
  plumb complete prompt:review language ty -- plumb demo --stdio
  plumb complete 'resource:demo://cities/{country}/{city}' city --with country=italy -- plumb demo --stdio`;

export const LOGIN_HELP: string = `
The login is stored in ~/.config/plumb/credentials.json, which only you can read. Where the system has a keychain (macOS,
Secret Service on Linux, Windows), the file is encrypted with a key that is kept there; PLUMB_KEYCHAIN=off turns that off.
PLUMB_CREDENTIALS names another file, which is not encrypted.

With --account, several logins at one server are kept apart. Other commands take --account too, or "account" in the entry of the
server in a config file.

Examples:
  plumb login https://example.com/mcp
  plumb login https://example.com/mcp --account work
  plumb login https://example.com/mcp --client-id my-app --issuer https://login.example.com`;

export const LOGOUT_HELP: string = `
Examples:
  plumb logout https://example.com/mcp`;

export const DEMO_HELP: string = `
Examples:
  plumb list -- plumb demo --stdio
  plumb demo --http 3000 --legacy-sse
  PLUMB_STATE_KEYS=... plumb demo --http 3001 --store redis://127.0.0.1:6379
  plumb list tools -- plumb demo --tools 250 --page-size 100`;

export const CHAIN_HELP: string = `
Example of a chain file (schema/chain.schema.json describes the format):
  servers:
    files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", /data] }
    docs: { url: https://example.com/mcp, headers: { Authorization: "Bearer \${DOCS_TOKEN}" } }
  middleware:
    - log
    - timeout: 30s
    - hide: { tools: [delete_*] }
A changed file, also that of --mcp, is reloaded immediately without disconnecting clients. Remote servers that require
a login use the login of plumb login; without one the browser opens.

Examples:
  plumb chain chain.yaml --http 3000
  plumb chain chain.mjs --stdio
  plumb chain --mcp mcp.json --http 3000`;

export const PROXY_HELP: string = `${TARGET}

A remote server that requires a login uses the login of plumb login; without one the browser opens. Every caller that
can reach the proxy uses that login: listen on an address other than loopback only with --auth-issuer or
--bearer-token-env.

Examples:
  plumb proxy --http 3000 -- npx -y @modelcontextprotocol/server-everything
  plumb proxy https://example.com/mcp --stdio
  plumb proxy https://example.com/mcp --stdio --header 'Authorization: Bearer ...'
  TOKEN=$(openssl rand -hex 32) plumb proxy --http 3000 --bearer-token-env TOKEN -- node server.js
  plumb proxy --http 3000 --auth-issuer https://login.example.com -- node server.js
  plumb proxy files --http 3000 --legacy-sse`;

export const INSPECT_HELP: string = `${TARGET}

Without a TARGET the inspector shows the servers of earlier runs: add others in the page, by URL, by command, by
pasting, or from the configuration of a client on this machine. It listens on loopback only, and its address contains a random token; PLUMB_INSPECT_TOKEN
sets the token (at least 16 characters).

Examples:
  plumb inspect
  plumb inspect https://example.com/mcp
  plumb inspect -- node server.js`;
