/** Requests as bytes. Ids have a fixed width, so that a prepared request is sent again by counting up in place. */
import { BLOB, ECHO, ECHO_ARGUMENTS, HANDSHAKE_VERSION, MODERN_VERSION } from '../workload.mjs';

/** @typedef {import('../workload.mjs').Mode} Mode */

/** Numbers like those of a client that counts: none that engines keep in another way than small ones. */
const FIRST_ID = 1_000_000_000;
const LAST_ID = 2 ** 31 - 1;
/** How often a prepared request is sent: all calls over a pipe, or those of one connection. */
const LINE_RANGE = 1_000_000;
const POST_RANGE = 10_000;
let nextRange = FIRST_ID;

/**
 * Every prepared request counts in a range of its own: no id is under way twice in a session.
 *
 * @param {number} size
 */
function takeRange(size) {
  if (nextRange + size > LAST_ID) nextRange = FIRST_ID;
  const first = String(nextRange);
  nextRange += size;
  return first;
}

const CLIENT = { name: 'bench', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': CLIENT,
};

/**
 * What is asked again and again.
 *
 * @typedef {object} Work
 * @property {string} method
 * @property {Record<string, unknown>} params
 * @property {number} [listed]  how many entries the answer has, where it is a list
 */

/**
 * @param {string} [tool]
 * @returns {Work}
 */
export function echoWork(tool = ECHO.name) {
  return { method: 'tools/call', params: { name: tool, arguments: ECHO_ARGUMENTS } };
}

/**
 * @param {number} size
 * @returns {Work}
 */
export function blobWork(size) {
  return { method: 'tools/call', params: { name: BLOB.name, arguments: { size } } };
}

/**
 * @param {number} listed
 * @returns {Work}
 */
export function listWork(listed) {
  return { method: 'tools/list', params: {}, listed };
}

/** A prepared message and where its id begins. */
export class Prepared {
  #digits;

  /**
   * @param {string} head
   * @param {string} body
   * @param {string} id  as it stands in the body
   */
  constructor(head, body, id) {
    this.bytes = Buffer.from(head + body);
    this.end = Buffer.byteLength(head) + body.indexOf(id) + id.length;
    this.#digits = id.length;
  }

  get id() {
    return Number(this.bytes.toString('latin1', this.end - this.#digits, this.end));
  }

  /** Counts the id up, digit by digit. */
  next() {
    const { bytes } = this;
    let at = this.end - 1;
    while (bytes[at] === 57) {
      bytes[at] = 48;
      at -= 1;
    }
    bytes[at] = Number(bytes[at]) + 1;
    return bytes;
  }
}

/**
 * @param {Work} work
 * @param {boolean} modern
 * @param {string} id
 */
function bodyOf({ method, params }, modern, id) {
  const all = modern ? { ...params, _meta: META } : params;
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(all)}}`;
}

/**
 * @param {Work} work
 * @param {boolean} [modern]
 */
export function prepareLine(work, modern = false) {
  const id = takeRange(LINE_RANGE);
  return new Prepared('', `${bodyOf(work, modern, id)}\n`, id);
}

/**
 * @param {URL} url
 * @param {{ mode: Mode, session: string | undefined, accept?: string | undefined, version?: string | undefined }} speaking
 * @param {Work} work
 */
export function preparePost(url, { mode, session, accept, version }, work) {
  const id = takeRange(POST_RANGE);
  const body = bodyOf(work, mode === 'modern', id);
  const headers = {
    ...headersFor(mode, session, work, version),
    ...(accept === undefined ? {} : { Accept: accept }),
  };
  return new Prepared(postHead(url, headers, body), body, id);
}

/**
 * @param {Mode} mode
 * @param {string | undefined} session
 * @param {Work} work
 * @param {string} [version]
 * @returns {Record<string, string>}
 */
export function headersFor(mode, session, { method, params }, version = HANDSHAKE_VERSION) {
  if (mode !== 'modern') {
    const named = session === undefined ? {} : { 'Mcp-Session-Id': session };
    return { 'MCP-Protocol-Version': version, ...named };
  }
  const name = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {};
  return { 'MCP-Protocol-Version': MODERN_VERSION, 'Mcp-Method': method, ...name };
}

/**
 * @param {URL} url
 * @param {Record<string, string>} headers
 * @param {string} body
 */
export function postHead(url, headers, body) {
  const all = {
    Host: url.host,
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

/** @param {string} [version] */
export function initializeBody(version = HANDSHAKE_VERSION) {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: CLIENT };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
}

export const INITIALIZED_BODY = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
