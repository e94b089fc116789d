/** A port that nobody listens on, for servers that must know their own URL before they start. */
export { freePort } from '../../scripts/cluster/free-port.mjs';
