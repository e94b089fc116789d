/** The requirements that the scenarios for clients judge. */

export const CLIENT_REQUIREMENTS: ReadonlySet<string> = new Set();
