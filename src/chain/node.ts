/** What a chain can do on Node alone: configuration files, and files of lines for `audit` and `record`. */
export { followConfig, loadChain } from './node-config-file.js';
export { appendLines, auditFile } from './node-files.js';
export { readLock } from './node-lock-file.js';
