/** Bodies of requests, bounded. */

import type { IncomingMessage } from 'node:http';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { BodyBytes } from '../../transports/http/body-bytes.js';
import { bodyText } from '../../transports/http/node-body.js';
import { CommandError, invalid } from '../failure.js';

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** A JSON object. What a form of another site can send (text/plain and the like) is refused. */
export async function readObject(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new CommandError(415, 'media_type', 'The body has to be application/json');
  }
  const body = new BodyBytes();
  // The request stays: with it the connection would go, and take the refusal along.
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    if (body.length + chunk.length > maxBytes) {
      throw new CommandError(413, 'too_large', `The body is larger than ${maxBytes} bytes`);
    }
    body.add(chunk);
  }
  const value = parse(bodyText(body));
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
