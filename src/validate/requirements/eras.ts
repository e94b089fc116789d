import { type Requirement, table } from './requirement.js';

export const erasRequirements: readonly Requirement[] = table(
  'Eras',
  `
401 | 5 | should | client | compat | 400 body inspected before fallback | Mock -32022 and empty 400 | Read the body of a 400 before falling back.
402 | 5 | should | client | compat | Era cached per origin/process | Record second connect | Remember the era of a server. | a client may remember in a place, or for a time, that no second connection shows
403 | 5 | derived | server | versioning | Dual server: initialize served legacy, _meta served modern, concurrently | Interleave | Serve initialize the old way and _meta the new way, side by side.
404 | 5 | derived | server | headers | Dual server: the fifth revision header rules not applied to legacy requests | Legacy POST | Apply the header rules of 2026 to requests of 2026 only.
405 | 5 | derived | server | versioning | Dual server: legacy session traffic unaffected by modern calls | Interleave | Keep sessions apart from stateless requests.
`,
);
