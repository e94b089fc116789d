/**
 * Names that hold in one view of many servers, a pool or a gateway: `server__tool`, of letters, digits, `_` and `-`, at
 * most 64 of them, which every model API takes. A name depends on its server's and its own, and on nothing else: it is
 * the same after a restart, and whichever server answers first. What had to be changed or cut carries a hash of the
 * original, so no two names become one.
 */

const SEPARATOR = '__';
const MAX_LENGTH = 64;
const MAX_PREFIX = 24;
const HASH_LENGTH = 7;
/** Where a name that was cut ends, and `_` and its hash begin. */
const CUT = MAX_LENGTH - HASH_LENGTH - 1;
/** 32 bits in base 36: the first of the seven digits is 0 or 1. */
const HASHED = /_[01][0-9a-z]{6}$/;

/** What stands before the names of a server. The first `__` ends it, so it differs for any two servers. */
export function serverPrefix(server: string): string {
  const plain = server.replace(/[^a-zA-Z0-9-]+/g, '_').replace(/^_+|_+$/g, '');
  if (plain === server && plain !== '' && plain.length <= MAX_PREFIX) return plain + SEPARATOR;
  const start = plain.slice(0, MAX_PREFIX - HASH_LENGTH - 1).replace(/_+$/, '');
  // A hyphen in front of the hash, so that the prefix never ends in what begins the separator.
  return `${start === '' ? 's' : start}-${hash(server)}${SEPARATOR}`;
}

export function qualifiedName(prefix: string, name: string): string {
  const whole = prefix + name;
  const plain = legal(whole);
  if (plain === whole && plain !== '' && plain.length <= MAX_LENGTH) return plain;
  return `${plain.slice(0, CUT)}_${hash(whole)}`;
}

/** Whether this can be a name that was changed: then only a list has the original name. */
export function isChangedName(prefix: string, qualified: string): boolean {
  return HASHED.test(qualified) && qualified.startsWith(legal(prefix).slice(0, CUT));
}

/** The same with `_` for whatever is not legal. */
export function legal(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** FNV-1a with 32 bits: it has to distinguish names, not to protect secrets. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36).padStart(HASH_LENGTH, '0');
}
