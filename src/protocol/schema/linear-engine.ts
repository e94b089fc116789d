/** The engine for patterns that may not be linear natively. It is large, so bundles for browsers and Workers have none. */

export { RE2JS } from 're2js';
