import { type Requirement, table } from './requirement.js';

export const toolsRequirements: readonly Requirement[] = table(
  'Tools',
  `
097 | 1-5 | must | server | tools | Tools capability declared if tools served | initialize/discover vs tools/list | Declare the tools capability.
098 | 1-5 | must | server | tools | Tools have name and inputSchema of type object, not null | Schema check | Give every tool a name and an inputSchema of type object.
099 | 4-5 | must | server | tools | inputSchema/outputSchema valid for their dialect | Meta-validate | Write schemas that are valid in their dialect (2020-12 unless $schema says otherwise).
100 | 4-5 | should | server | tools | Tool names 1-128 of [A-Za-z0-9_.-], unique | Regex | Name tools with 1 to 128 of A-Z a-z 0-9 _ . - and use each name once.
101 | 1-5 | should | server | tools | listChanged capability -> list_changed after change | Add tool at runtime | Send list_changed when a list changed and listChanged is declared.
102 | 3-5 | must | server | tools | No listChanged notification without the capability | Toggle | Declare listChanged before sending list_changed.
103 | 1-5 | derived | server | tools | Unknown tool -> JSON-RPC error -32602 | Call 'nope' | Answer calls of unknown tools with -32602.
104 | 1-5 | should | server | tools | Tool failure -> result isError true, not JSON-RPC error | Tool throws | Report failures of a tool as a result with isError, not as a JSON-RPC error.
105 | 4-5 | should | server | tools | Argument validation failure -> isError result | Wrong type argument | Report bad arguments as a result with isError, so that the model can correct them.
106 | 1-5 | must | server | tools | Result.content is an array of allowed block types for the revision | Inspect per version | Return content as an array of block types that the revision knows.
107 | 1-5 | must | server | tools | Image/audio data valid base64 with mimeType | Decode | Encode image and audio data as base64 and give their mimeType.
108 | 3-5 | must | server | tools | OutputSchema declared -> structuredContent conforms | Validate | Return structuredContent that fits the outputSchema.
109 | 3-5 | should | client | tools | Client validates structuredContent | Mock returns bad data | Validate structuredContent against outputSchema before using it. | what an application does with a result that it refuses is not visible on the wire
110 | 3-5 | should | server | tools | structuredContent also serialised as text | Compare | Return structured results as text too.
111 | 3-4 | must | server | tools | structuredContent is an object | Tool returning array | Return structuredContent as an object in this revision.
112 | 5 | derived | server | tools | structuredContent may be any JSON value; null kept | Tool returning null/array | Keep structuredContent as it is: any JSON value is allowed.
113 | 3-5 | derived | client | tools | isError result exempt from outputSchema check in client | Error result without structuredContent | Do not expect structuredContent in results with isError.
114 | 4 | must | server | tasks | execution.taskSupport one of forbidden/optional/required | Schema check | Use forbidden, optional or required for execution.taskSupport.
115 | 2-5 | must | client | tools | Annotations from untrusted servers not trusted | Manual/policy flag | Do not base decisions on annotations of servers that you do not trust. | what a client concludes from annotations does not show on the wire
116 | 1-5 | must | server | tools | Tool inputs validated before execution | Fuzz arguments | Validate arguments before running the tool.
117 | 5 | derived | client | tools | Composition keywords in schemas preserved | Mock tool with oneOf/$defs | Keep composition keywords of schemas when passing them on. | what a client passes on to its model does not show on the wire
`,
);
