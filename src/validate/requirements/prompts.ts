import { type Requirement, table } from './requirement.js';

export const promptsRequirements: readonly Requirement[] = table(
  'Prompts',
  `
132 | 1-5 | must | server | prompts | Prompts capability declared if served | Compare | Declare the prompts capability.
133 | 1-5 | should | server | prompts | Unknown prompt -> -32602 | Get bogus | Answer unknown prompts with -32602.
134 | 1-5 | should | server | prompts | Missing required argument -> -32602 | Omit | Answer missing required arguments with -32602.
135 | 1-5 | must | server | prompts | Messages have role user/assistant and one content block | Schema check | Give every message a role (user or assistant) and one content block.
136 | 1-5 | must | client | prompts | Prompt arguments sent as strings | Record | Send prompt arguments as strings.
137 | 1-5 | must | server | prompts | Embedded resource has uri, mimeType and text or blob | Inspect | Give embedded resources a uri, a mimeType, and text or blob.
`,
);
