/** Revisions that begin with a handshake, oldest first. */
export const HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const NEWEST = '2026-07-28';

/**
 * What a peer speaks that knows nothing later than this revision, in its way of life.
 *
 * @param {string} revision
 */
export function upTo(revision) {
  const index = HANDSHAKE.indexOf(revision);
  return index === -1 ? [revision] : HANDSHAKE.slice(0, index + 1);
}
