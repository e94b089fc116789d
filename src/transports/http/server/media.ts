/** Media types: what the client sent, and what it is willing to read. */

const JSON_TYPE = 'application/json';
const SSE_TYPE = 'text/event-stream';

export function isJsonBody(contentType: string | undefined): boolean {
  if (contentType === JSON_TYPE) return true;
  return contentType !== undefined && contentType.split(';', 1)[0]?.trim().toLowerCase() === JSON_TYPE;
}

export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
}

const BOTH: Accepted = { json: true, sse: true };
const KNOWN = new Map<string, Accepted>();

/** Reads `Accept`; a missing header accepts everything. */
export function parseAccept(header: string | undefined): Accepted {
  if (header === undefined) return BOTH;
  let accepted = KNOWN.get(header);
  if (accepted === undefined) {
    accepted = { json: accepts(header, JSON_TYPE), sse: accepts(header, SSE_TYPE) };
    // Clients send one of a handful of values; strangers must not fill the memory.
    if (KNOWN.size >= 100) KNOWN.clear();
    KNOWN.set(header, accepted);
  }
  return accepted;
}

/** The most specific range that covers the type decides; a quality of 0 refuses (RFC 9110, Accept). */
function accepts(header: string, type: string): boolean {
  const ranges = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  let best = ranges.length;
  let accepted = false;
  for (const range of header.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const rank = ranges.indexOf(name);
    if (rank === -1 || rank > best) continue;
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    accepted = !refused || (rank === best && accepted);
    best = rank;
  }
  return accepted;
}
