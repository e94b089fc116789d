/** A server whose card says what the server is, and the ways in which a card can say something else. */

import { createServer as createListener, type Server as Listener, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer } from '../../../src/server/index.js';
import { reportOf, validateServer } from '../../../src/validate/index.js';
import { allFindings } from '../../../src/validate/report/report.js';
import { urlTarget } from '../../../src/validate/target.js';

const IDS = ['418', '422', '423', '424', '425'];
const CARD = '/mcp/server-card';
const CATALOG = '/.well-known/ai-catalog.json';

interface Document {
  status: number;
  headers: Record<string, string>;
  body: JsonObject;
}

type Change = (document: Document, path: string) => unknown;

/** Each breaks one requirement. */
const MUTATIONS: readonly (readonly [id: string, name: string, change: Change])[] = [
  ['418', 'has another schema', onCard(({ body }) => Object.assign(body, { $schema: 'other' }))],
  ['418', 'has no description', onCard(({ body }) => delete body.description)],
  [
    '418',
    'is closed to other origins',
    onCard(({ headers }) => delete headers['access-control-allow-origin']),
  ],
  [
    '422',
    'is plain JSON',
    onCard(({ headers }) => Object.assign(headers, { 'content-type': 'application/json' })),
  ],
  ['422', 'has no tag', onCard(({ headers }) => delete headers.etag)],
  ['422', 'is sent again', onCard((document) => Object.assign(document, { status: 200 }), 304)],
  [
    '423',
    'has another version, as the catalog has',
    (document, path) => {
      onCard(({ body }) => Object.assign(body, { version: '9.9.9' }))(document, path);
      onEntry((entry) => ({ ...entry, version: '9.9.9' }))(document, path);
    },
  ],
  ['423', 'has another title', onCard(({ body }) => Object.assign(body, { title: 'Something else' }))],
  ['423', 'has another name', onCard(({ body }) => Object.assign(body, { name: 'com.example/other' }))],
  [
    '423',
    'has a tool that is not there',
    onCard(({ body }) => Object.assign(body, { tools: [{ name: 'no' }] })),
  ],
  [
    '423',
    'has a capability that is not there',
    onCard(({ body }) => Object.assign(body, { capabilities: { prompts: {} } })),
  ],
  [
    '424',
    'lacks a revision',
    onRemote((remote) => ({ ...remote, supportedProtocolVersions: ['2025-11-25'] })),
  ],
  [
    '424',
    'has a revision that is not offered',
    onRemote((remote) => ({
      ...remote,
      supportedProtocolVersions: [...(remote.supportedProtocolVersions as string[]), '2030-01-01'],
    })),
  ],
  ['424', 'names the old transport only', onRemote((remote) => ({ ...remote, type: 'sse' }))],
  ['424', 'has an unknown transport', onRemote((remote) => ({ ...remote, type: 'carrier-pigeon' }))],
  ['424', 'has no address', onRemote(({ url: _, ...remote }) => remote)],
  ['425', 'is in no catalog', onCatalog(({ body }) => Object.assign(body, { entries: [] }))],
  [
    '425',
    'is elsewhere in the catalog',
    onEntry((entry) => ({ ...entry, url: 'https://example.com/other' })),
  ],
  ['425', 'has another version in the catalog', onEntry((entry) => ({ ...entry, version: '0.0.1' }))],
  ['425', 'has no identifier in the catalog', onEntry(({ identifier: _, ...entry }) => entry)],
  [
    '425',
    'is in a catalog of another format',
    onCatalog(({ body }) => Object.assign(body, { specVersion: '2.0' })),
  ],
  [
    '425',
    'is in a catalog of another type',
    onCatalog(({ headers }) => Object.assign(headers, { 'content-type': 'text/html' })),
  ],
  [
    '425',
    'is in a catalog that is closed to other origins',
    onCatalog(({ headers }) => delete headers['access-control-allow-origin']),
  ],
];

function onCard(change: (document: Document) => unknown, status = 200): Change {
  return (document, path) => path === CARD && document.status === status && change(document);
}

function onRemote(change: (remote: JsonObject) => JsonObject): Change {
  return onCard(({ body }) => {
    body.remotes = (body.remotes as JsonObject[]).map(change);
  });
}

function onCatalog(change: (document: Document) => unknown): Change {
  return (document, path) => path === CATALOG && change(document);
}

function onEntry(change: (entry: JsonObject) => JsonObject): Change {
  return onCatalog(({ body }) => {
    body.entries = (body.entries as JsonObject[]).map(change);
  });
}

const server = createServer({ name: 'com.example/weather', version: '1.2.0', title: 'Weather' });
server.tool('today', {}, () => 'sunny');
let origin: string;

beforeAll(async () => {
  const card = {
    name: 'com.example/weather',
    description: 'The weather of Swiss cities',
    url: 'https://example.com/mcp',
  };
  ({ origin } = await server.http({ port: 0, card }));
});
afterAll(() => server.close({ drain: 0 }));

/** Passes everything on, and changes the documents. */
async function behind<T>(change: Change, work: (url: string) => Promise<T>): Promise<T> {
  const front: Listener = createListener((incoming, outgoing) => {
    const path = incoming.url ?? '/';
    const { method = 'GET', headers } = incoming;
    const onward = request(
      origin + path,
      { method, headers: { ...headers, host: new URL(origin).host } },
      (answer) => {
        const status = answer.statusCode ?? 500;
        const known = Object.entries(answer.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        if (path !== CARD && path !== CATALOG) {
          outgoing.writeHead(status, Object.fromEntries(known));
          answer.pipe(outgoing);
          return;
        }
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const document = {
            status,
            headers: Object.fromEntries(known),
            body: text === '' ? {} : JSON.parse(text),
          };
          change(document, path);
          const { 'content-length': _, ...rest } = document.headers;
          outgoing
            .writeHead(document.status, rest)
            .end(document.status === 304 ? '' : JSON.stringify(document.body));
        });
      },
    );
    outgoing.on('close', () => onward.destroy());
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(front.address() as AddressInfo).port}/mcp`);
  } finally {
    front.closeAllConnections();
    front.close();
  }
}

async function found(url: string): Promise<readonly string[]> {
  const validation = await validateServer(urlTarget(url), {
    only: IDS,
    revisions: REVISIONS.slice(-1),
    quiet: 50,
  });
  return [...new Set(allFindings(reportOf(validation)).map(({ id }) => id))];
}

test('nothing is found in a card that is that of its server', async () => {
  expect(await behind(() => undefined, found)).toEqual([]);
});

test.each(MUTATIONS)('%s is found in a card that %s', async (id, _name, change) => {
  expect(await behind(change, found)).toEqual([id]);
});
