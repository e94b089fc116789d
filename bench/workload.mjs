/** The work that every contender does: the same tools, the same arguments, the same answers. */

/** A tool with a schema of three properties, all of which are validated. */
export const ECHO = {
  name: 'echo',
  description: 'Gives its message back',
  inputSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', description: 'What to say' },
      count: { type: 'integer', minimum: 0, description: 'How often it has been said' },
      loud: { type: 'boolean', description: 'Whether to say it in capitals' },
    },
    required: ['message', 'count', 'loud'],
    additionalProperties: false,
  },
};

export const ECHO_ARGUMENTS = {
  message: 'The quick brown fox jumps over the lazy dog',
  count: 3,
  loud: false,
};

/** Arguments that the schema refuses; whoever accepts them does not validate. */
export const WRONG_ARGUMENTS = { message: 'The quick brown fox', count: 'three', loud: false };

/** @param {{ message: string, loud: boolean }} args */
export function echo({ message, loud }) {
  return loud ? message.toUpperCase() : message;
}

/** A tool whose result is as long as asked for. */
export const BLOB = {
  name: 'blob',
  description: 'Gives a text of the size that was asked for',
  inputSchema: {
    type: 'object',
    properties: { size: { type: 'integer', minimum: 0 } },
    required: ['size'],
    additionalProperties: false,
  },
};

/** @type {Map<number, string>} */
const blobs = new Map();

/** @param {{ size: number }} args */
export function blob({ size }) {
  let text = blobs.get(size);
  if (text === undefined) {
    const line = 'All work and no play makes Jack a dull boy.\n';
    text = line.repeat(Math.ceil(size / line.length)).slice(0, size);
    blobs.set(size, text);
  }
  return text;
}

/**
 * Names of tools that are there to be many; all of them take and do what `echo` does.
 *
 * @param {number} count
 */
export function fillerNames(count) {
  return Array.from({ length: count }, (_, index) => `tool-${String(index).padStart(5, '0')}`);
}

/**
 * What a contender's server is asked to be.
 *
 * @typedef {object} Serving
 * @property {Mode} [mode]  how HTTP is spoken
 * @property {number} [tools]  tools beside `echo` and `blob`
 * @property {number} [sessions]  the sessions that one address has at once, where they are more than usual
 */

/**
 * `stateless` and `sessions` are two ways to serve the handshake era, `modern` is the newest revision.
 *
 * @typedef {'stateless' | 'sessions' | 'modern'} Mode
 */

/** The revision that the handshake era is measured in: the newest that every peer speaks. */
export const HANDSHAKE_VERSION = '2025-06-18';
/** The newest of the handshake era, which proxies and what stands behind them all speak. */
export const PROXIED_VERSION = '2025-11-25';
export const MODERN_VERSION = '2026-07-28';
