/** What kind of place a URL's host is: this machine, the local network, or the internet. */

export type AddressKind = 'loopback' | 'private' | 'public' | 'name';

/** `name`: only a lookup can decide. Host names of this machine count as loopback. */
export function classifyHost(hostname: string): AddressKind {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback';
  if (host.startsWith('[')) return classifyAddress(host.slice(1, -1));
  return /^\d+(\.\d+){3}$/.test(host) ? classifyAddress(host) : 'name';
}

export function classifyAddress(address: string): Exclude<AddressKind, 'name'> {
  const v4 = /(?:^|:)((?:\d+\.){3}\d+)$/.exec(address)?.[1];
  if (v4 !== undefined && (v4 === address || isMapped(address))) return classifyV4(v4);
  return classifyV6(expandV6(address));
}

export function isLoopback(url: URL): boolean {
  return classifyHost(url.hostname) === 'loopback';
}

/** `::ffff:10.0.0.1` is 10.0.0.1 to the network. */
function isMapped(address: string): boolean {
  return /^(::ffff:|::|64:ff9b::)[\d.]+$/i.test(address);
}

function classifyV4(address: string): Exclude<AddressKind, 'name'> {
  const [a = 0, b = 0, c = 0] = address.split('.').map(Number);
  if (a === 127) return 'loopback';
  const notForTheInternet =
    a === 0 ||
    a === 10 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 192 && b === 0 && (c === 0 || c === 2)) ||
    (a === 198 && (b === 18 || b === 19)) ||
    a >= 224;
  return notForTheInternet ? 'private' : 'public';
}

function classifyV6(groups: readonly number[]): Exclude<AddressKind, 'name'> {
  const [first = 0] = groups;
  const high = groups.slice(0, 6);
  const [g6 = 0, g7 = 0] = groups.slice(6);
  if (groups.slice(0, 7).every((group) => group === 0) && g7 === 1) return 'loopback';
  const embedsV4 =
    high.slice(0, 5).every((group) => group === 0) && (high[5] === 0xffff || high[5] === 0)
      ? true
      : first === 0x64 && high[1] === 0xff9b && high.slice(2).every((group) => group === 0);
  if (embedsV4) return classifyV4(`${g6 >> 8}.${g6 & 255}.${g7 >> 8}.${g7 & 255}`);
  // fc00::/7 unique local, fe80::/10 link local, fec0::/10 site local, ff00::/8 multicast, 2001:db8::/32 documentation.
  const notForTheInternet =
    (first & 0xfe00) === 0xfc00 ||
    (first & 0xffc0) === 0xfe80 ||
    (first & 0xffc0) === 0xfec0 ||
    (first & 0xff00) === 0xff00 ||
    (first === 0x2001 && groups[1] === 0xdb8);
  return notForTheInternet ? 'private' : 'public';
}

/** The eight groups of an address without an embedded IPv4 part; zone identifiers are dropped. */
function expandV6(address: string): readonly number[] {
  const [left = '', right] = address.split('%')[0]?.split('::') ?? [];
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const head = read(left);
  const tail = right === undefined ? [] : read(right);
  const zeros = new Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0);
  return [...head, ...(right === undefined ? [] : zeros), ...tail];
}
