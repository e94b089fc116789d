/**
 * Names that hold in one view of many servers: `server__tool`, of letters, digits, `_` and `-`, at most 64 of them,
 * which every model API takes. The first `__` always ends the server's part, so no two servers can clash; what had to
 * be changed or cut carries a hash of the original, so no two tools of one server can either.
 */

const SEPARATOR = '__';
const MAX_LENGTH = 64;
const MAX_PREFIX = 24;
const HASH_LENGTH = 7;

/** The part that stands for a server. Names are unique if the servers' are. */
export function serverPrefix(server: string): string {
  const plain = server.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_+|_+$/g, '');
  if (plain === server && plain !== '' && plain.length <= MAX_PREFIX) return plain;
  const start = plain.slice(0, MAX_PREFIX - HASH_LENGTH - 1).replace(/_+$/, '');
  // A hyphen in front of the hash, so that the prefix never ends in what begins the separator.
  return `${start === '' ? 's' : start}-${hash(server)}`;
}

export function qualifiedName(prefix: string, name: string): string {
  const head = prefix + SEPARATOR;
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  const room = MAX_LENGTH - head.length;
  if (plain === name && plain.length <= room) return head + plain;
  return `${head}${plain.slice(0, room - HASH_LENGTH - 1)}_${hash(name)}`;
}

/** FNV-1a with 32 bits: it has to tell names apart, not to keep anything secret. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36).padStart(HASH_LENGTH, '0');
}
