/**
 * A REST API as tools, from its OpenAPI document: one tool for each operation, arguments checked by its schemas.
 *
 *   TRACKER_URL=https://tracker.example.com TRACKER_TOKEN=... \
 *     plumb call list_issues owner=acme repo=site -- node examples/rest-api/server.mjs
 */
import { readFile } from 'node:fs/promises';
import { createChain, createOpenApiServer } from 'plumb-mcp/chain';
import { retry, rewrite, timeout } from 'plumb-mcp/middleware';

const { TRACKER_URL = 'http://127.0.0.1:3500', TRACKER_TOKEN, TRACKER_OWNER = 'acme' } = process.env;
const document = JSON.parse(await readFile(new URL('./openapi.json', import.meta.url), 'utf8'));

const api = createOpenApiServer(document, {
  baseUrl: TRACKER_URL,
  // The model never sees the token, and it goes to this address and to no other.
  ...(TRACKER_TOKEN !== undefined && { headers: { Authorization: `Bearer ${TRACKER_TOKEN}` } }),
});

// The model chooses repositories, and not whose they are: `owner` is fixed, and gone from the schemas.
const fixed = { owner: TRACKER_OWNER };
await createChain()
  .use(timeout('15s'), retry({ attempts: 2 }))
  .use({ tools: rewrite({ list_issues: { fixed }, create_issue: { fixed } }) })
  .to(api)
  .stdio();
