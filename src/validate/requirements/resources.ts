import { type Requirement, table } from './requirement.js';

export const resourcesRequirements: readonly Requirement[] = table(
  'Resources',
  `
118 | 1-5 | must | server | resources | Resources capability declared if served | Compare | Declare the resources capability.
119 | 1-5 | must | server | resources | Resource has uri and name; template has uriTemplate and name | Schema check | Give resources uri and name, templates uriTemplate and name.
120 | 1-5 | must | server | resources | Read returns contents[] with uri and text xor blob | Read all | Return contents with uri and either text or blob.
121 | 1-5 | must | server | resources | Blob is base64 | Decode | Encode blobs as base64.
122 | 1-4 | should | server | resources | Missing resource -> -32002 | Read bogus uri | Answer unknown resources with -32002.
123 | 5 | must | server | resources | Missing resource -> -32602 | Read bogus uri | Answer unknown resources with -32602.
124 | 5 | must | server | resources | Missing resource never yields empty contents | Same | Answer unknown resources with an error, never with empty contents.
125 | 1-5 | derived | server | resources | Templates list and expansion readable | Expand and read | Make every expansion of a listed template readable, or answer it as unknown.
126 | 1-4 | derived | server | resources | Subscribe only with capability; then updated only for subscribed uris | Subscribe A, change B | Send updates only for subscribed resources.
127 | 1-4 | derived | server | resources | Unsubscribe stops updates | Unsubscribe, change | Stop updates after unsubscribe.
128 | 1-4 | derived | server | resources | Subscribe without capability -> -32601 | Call | Answer resources/subscribe with -32601 when the capability is not declared.
129 | 1-5 | must | server | resources | File paths sanitised (no traversal) | File:///../../etc/passwd | Normalise paths and refuse those that leave the allowed directory.
130 | 3-5 | must | server | resources | Custom URI schemes follow RFC 3986 | Parse | Use URIs that follow RFC 3986.
131 | 3-5 | must | server | resources | Annotations: audience user/assistant, priority 0..1, lastModified ISO 8601 | Schema check | Keep annotations to audience user/assistant, priority 0 to 1, lastModified in ISO 8601.
`,
);
