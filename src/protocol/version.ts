/** The version of this package, as sent to peers and shown to users. A test compares it with package.json. */
export const PLUMB_VERSION = '0.1.0';
