/** The metadata of an authorization server that the operator has configured, and therefore trusts. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { metadataUrls } from '../well-known.js';

const TIMEOUT_MS = 5_000;

export async function findServerMetadata(
  issuer: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<JsonObject> {
  const urls = metadataUrls(issuer);
  for (const url of urls) {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
      () => undefined,
    );
    if (response?.ok !== true) {
      await response?.body?.cancel();
      continue;
    }
    const document: unknown = await response.json().catch(() => undefined);
    // RFC 8414, 3.3: a document that names another issuer is not this issuer's.
    if (isRecord(document) && document.issuer === issuer) return document;
  }
  throw new McpError(
    'auth_misconfigured',
    `No metadata of ${issuer} was found (asked ${urls.join(', ')}); check the issuer, character for character, or set jwksUri`,
  );
}
