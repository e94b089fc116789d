import { type Requirement, table } from './requirement.js';

export const extensionsRequirements: readonly Requirement[] = table(
  'Extensions',
  `
391 | 5 | must | both | extensions | Extension ids have a prefix | Inspect | Prefix extension identifiers.
392 | 5 | must | both | extensions | Peer without extension -> core behaviour or proper error | Toggle | Fall back to core behaviour when the other side lacks an extension.
393 | 1-5 | must | server | ui | Ui: tools with UI still return content | Call without ui | Return content also from tools with a UI.
394 | 1-5 | must | server | ui | Ui: resource uri ui://, mimeType text/html;profile=mcp-app | Read | Serve UI resources at ui:// with mimeType text/html;profile=mcp-app.
395 | 1-5 | must | client | ui | Ui: app-only tools hidden from model | Inspect | Hide app-only tools from the model. | what a client shows its model does not show on the wire
396 | 5 | must | server | skills | Skills: skills/list and skills/get work, resources capability declared | Call | Implement skills/list and skills/get and declare resources.
397 | 5 | must | server | skills | Skills: digests and sizes match resources/read bytes | Hash | Publish digests and sizes of the very bytes that resources/read returns.
398 | 5 | must | server | skills | Skills: entry frontmatter equals SKILL.md, last path segment equals name | Parse | Repeat the frontmatter of SKILL.md, and name the directory like the skill.
399 | 5 | must | server | skills | Skills: unknown uri -> -32602 | Call | Answer unknown skills with -32602.
400 | 5 | must | client | skills | Skills: directory/read only when declared | Record | Call resources/directory/read only when it is declared.
`,
);
