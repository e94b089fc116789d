/** The version of this package, as peers and people are told. A test compares it with package.json. */
export const PLUMB_VERSION = '0.1.0';
