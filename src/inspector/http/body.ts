/** Bodies of requests, bounded. */

import type { IncomingMessage } from 'node:http';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { CommandError, invalid } from '../failure.js';

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** A JSON object. What a form of another site can send (text/plain and the like) is refused. */
export async function readObject(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new CommandError(415, 'media_type', 'The body has to be application/json');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new CommandError(413, 'too_large', `The body is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  const value = parse(Buffer.concat(chunks).toString('utf8'));
  if (!isRecord(value)) throw invalid('The body has to be a JSON object');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body is not JSON');
  }
}
