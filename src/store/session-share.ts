/** How many of all sessions one principal or address may have: a quarter, but not of a handful. */
export function sessionShare(maxSessions: number): number {
  return Math.min(maxSessions, Math.max(16, Math.ceil(maxSessions / 4)));
}
