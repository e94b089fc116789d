import { type Requirement, table } from './requirement.js';

export const mirroredHeadersRequirements: readonly Requirement[] = table(
  'Mirrored headers',
  `
250 | 5 | must | client | headers | Mcp-Method equals method on every request | Record | Repeat the method in Mcp-Method.
251 | 5 | must | client | headers | Mcp-Name equals params.name/uri for tools/call, prompts/get, resources/read | Record | Repeat params.name or params.uri in Mcp-Name.
252 | 5 | must | client | headers | Unsafe Mcp-Name base64-sentinel encoded | Tool name with non-ASCII | Encode names with other than visible ASCII as =?base64?...?=.
253 | 5 | must | server | headers | Missing or wrong Mcp-Method/Mcp-Name -> 400 -32020 | Send | Refuse missing or wrong Mcp-Method and Mcp-Name with 400 and -32020.
254 | 5 | must | server | headers | Mcp-Name sentinel decoded before compare | Send encoded | Decode =?base64?...?= before comparing.
255 | 5 | must | server | headers | Header names case-insensitive | Mcp-METHOD | Read header names without regard to case.
256 | 5 | must | server | headers | Header values case-sensitive | TOOLS/CALL -> reject | Compare header values exactly.
257 | 5 | derived | server | headers | Surrounding whitespace trimmed | "  foo " | Trim spaces around header values.
258 | 5 | must | client | headers | X-mcp-header values mirrored as Mcp-Param-N | Mock tool | Send annotated arguments as Mcp-Param headers.
259 | 5 | must | client | headers | Null/absent argument -> header omitted | Call | Leave out headers of absent and null arguments.
260 | 5 | must | client | headers | Integer decimal, boolean true/false | Call | Write integers in decimal, booleans as true and false.
261 | 5 | must | client | headers | Non-ASCII, control, edge space, sentinel-like values encoded | Call each | Encode values that no header can carry as base64.
262 | 5 | must | client | headers | Nested property path extracted | Nested object | Follow the path of nested properties.
263 | 5 | must | client | headers | Invalid annotation (empty, space, colon, duplicate, number type, under items/oneOf/$ref) -> tool dropped, others kept | Mock list | Leave out tools with invalid annotations and keep the others.
264 | 5 | must | server | headers | Mcp-Param mismatch, missing or bad base64 -> 400 -32020 | Send | Refuse wrong, missing and badly encoded Mcp-Param headers with 400 and -32020.
265 | 5 | should | server | headers | Integers compared numerically | "42.0" | Compare integers by value.
266 | 5 | must | server | headers | Header not expected for null/absent value | Call | Expect no header for absent and null arguments.
267 | 5 | should | client | headers | On -32020 refetch tools/list and retry | Mock | After -32020 fetch tools/list again and retry.
268 | 5 | must | server | headers | Own tool definitions have valid x-mcp-header | Lint | Annotate only plain string, integer and boolean properties with unique tokens.
269 | 5 | derived | server | headers | Unknown Mcp-Param-* headers ignored | Send Mcp-Param-Foo | Ignore Mcp-Param headers that you do not know.
270 | 5 | should | server | headers | No secrets annotated | Lint names | Do not put secrets into headers.
`,
);
