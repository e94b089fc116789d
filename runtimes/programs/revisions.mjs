/** The revisions, and which of the behaviours exist there. */

/** @typedef {{ version: string, structured: boolean, elicitation: boolean }} TestedRevision */

/** @type {readonly TestedRevision[]} */
export const REVISIONS = [
  { version: '2024-11-05', structured: false, elicitation: false },
  { version: '2025-03-26', structured: false, elicitation: false },
  { version: '2025-06-18', structured: true, elicitation: true },
  { version: '2025-11-25', structured: true, elicitation: true },
  { version: '2026-07-28', structured: true, elicitation: true },
];
