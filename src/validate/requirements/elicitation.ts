import { type Requirement, table } from './requirement.js';

export const elicitationRequirements: readonly Requirement[] = table(
  'Elicitation',
  `
173 | 3-4 | must | server | elicitation | Elicitation only to declaring clients | Client without it | Check the client's elicitation capability before asking.
174 | 4-5 | must | server | elicitation | Only declared modes used ({} = form) | Client with url only / form only | Ask only in modes that the client declared; {} means form.
175 | 4 | must | client | elicitation | Undeclared mode -> -32602 | Send | Refuse modes that you did not declare with -32602.
176 | 4-5 | must | client | elicitation | Missing mode treated as form | Send without mode | Treat an elicitation without mode as a form.
177 | 3-5 | must | server | elicitation | RequestedSchema flat, allowed primitive types only | Validate subset | Ask for a flat object of strings, numbers, booleans and enums.
178 | 3 | must | server | elicitation | No multi-select, no mode, enumNames style only | Negotiate the third revision | Use only what this revision knows: no mode, no multi-select, enumNames for titles.
179 | 4-5 | must | client | elicitation | Declares at least one mode | Inspect | Declare at least one mode.
180 | 3-5 | must | client | elicitation | Result action accept/decline/cancel; content only with accept (form) | Drive UI | Answer with action accept, decline or cancel, and content only with accept.
181 | 3-5 | should | client | elicitation | Content validated against schema | Bad input | Validate answers against the requested schema.
182 | 4-5 | should | client | elicitation | Defaults pre-filled and returned | Accept defaults | Pre-fill defaults and return them.
183 | 4-5 | must | server | elicitation | url mode carries valid url (the fourth revision also elicitationId) | Inspect | Send a valid url (and an elicitationId in 2025-11).
184 | 4 | must | server | elicitation | -32042 only for url elicitations, data.elicitations each mode url with id | Trigger | Use -32042 only for url elicitations, each with mode url and an id.
185 | 4 | must | client | elicitation | Elicitation/complete for unknown id ignored | Send | Ignore notifications/elicitation/complete for ids that you do not know.
186 | 4 | must | server | elicitation | Elicitation/complete only to the initiating client | Two clients | Send elicitation/complete only to the client that was asked.
187 | 5 | must | server | elicitation | No elicitationId, no elicitation/complete | Inspect | Leave out elicitationId and elicitation/complete in this revision.
188 | 4-5 | must | client | elicitation | url not fetched or opened without consent | Monitor network | Do not open or fetch a URL before the user agreed.
189 | 3-5 | must | server | elicitation | No form elicitation for secrets | Scan property names (heuristic) | Do not ask for passwords and keys in a form; use url mode.
190 | 3-5 | must | server | elicitation | Decline and cancel handled | Answer each | Handle decline and cancel as answers, not as failures.
`,
);
