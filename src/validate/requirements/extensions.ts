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
412 | 5 | must | server | skills | Skills: results carry resultType, ttlMs and cacheScope; directory/read only resultType | Inspect | Add resultType to every result, and ttlMs and cacheScope to skills/list and skills/get.
413 | 5 | must | server | skills | Skills: every entry has resources, an array or "dynamic" | Inspect | List the files of a skill, or "dynamic" where digests cannot be stable.
414 | 5 | must | server | skills | Skills: the list of files is complete, each once, inside the directory | Compare with the uri of the skill | List every file of the skill once, SKILL.md included, and none outside its directory.
415 | 5 | must | server | skills | Skills: directory/read works when it is declared, and refuses what is no directory | Call | Serve every directory of the skills, and answer anything else with -32602.
416 | 1-5 | must | server | ui | Ui: the resource of a tool exists | Read | Serve the resource that _meta.ui.resourceUri names.
417 | 1-5 | derived | server | ui | Ui: visibility is a list of model and app | Inspect | Use "model" and "app" in visibility.
418 | 5 | derived | server | extensions | Server card: complete, and readable from other origins | Fetch | Serve $schema, name, version and description, with Access-Control-Allow-Origin: *.
422 | 5 | should | server | extensions | Server card: its own type, and an ETag with 304 | Fetch twice | Serve application/mcp-server-card+json with an ETag, and answer 304 to If-None-Match.
423 | 5 | derived | server | extensions | Server card: name, version, title, capabilities and tools are those of the server | Compare with the server | Make the card from the server itself.
424 | 5 | derived | server | extensions | Server card: transports and revisions are those of the server | Compare with server/discover | Name the transport of the endpoint and every revision that it speaks, and no other.
425 | 5 | derived | server | extensions | Server card: the catalog of the host lists the endpoint | Fetch | List the card in /.well-known/ai-catalog.json, as application/ai-catalog+json, with its identifier and version.
`,
);
