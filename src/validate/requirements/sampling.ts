import { type Requirement, table } from './requirement.js';

export const samplingRequirements: readonly Requirement[] = table(
  'Sampling and roots',
  `
155 | 3-4 | must | server | sampling | sampling request only to clients declaring sampling | Client without it | Check the client's sampling capability before asking.
156 | 1-5 | must | client | sampling | sampling capability declared when supported | Inspect | Declare sampling when you answer sampling/createMessage.
157 | 1-5 | must | server | sampling | Request has messages and maxTokens | Schema check | Send messages and maxTokens.
158 | 1-5 | must | client | sampling | Result has role, content, model | Schema check | Return role, content and model.
159 | 5 | must | client | sampling | maxTokens respected | Mock LLM | Pass maxTokens on to the model. | tokens can only be counted with the tokenizer of the model
160 | 4-5 | must | server | sampling | tools/toolChoice only with sampling.tools | Client without it | Send tools and toolChoice only to clients that declare sampling.tools.
161 | 4 | must | client | sampling | Tools without sampling.tools -> error | Send | Refuse tools when you did not declare sampling.tools.
162 | 4-5 | must | server | sampling | Tool_result messages contain only tool_results | Inspect | Put nothing but tool_result blocks into a message that has one.
163 | 4-5 | must | server | sampling | Each tool_use answered by tool_result with same id before anything else | Inspect | Answer every tool_use with a tool_result of the same id in the next message.
164 | 4 | should | client | sampling | Unbalanced/mixed tool results -> -32602 | Send | Refuse unbalanced or mixed tool results with -32602.
165 | 1-5 | must | client | sampling | First matching model hint wins, in order | Mock models | Try model hints in order and take the first that matches. | which model a client could have chosen is not visible from outside
166 | 4-5 | should | server | sampling | IncludeContext thisServer/allServers only with sampling.context | Inspect | Use includeContext thisServer or allServers only when sampling.context is declared.
167 | 1-4 | should | client | sampling | User refusal -> error (-1) | Refuse | Answer a refusal of the user with an error. | needs a person who refuses; the result cannot be told from any other error
168 | 3-4 | must | server | roots | roots/list only to clients declaring roots | Client without it | Check the client's roots capability before asking.
169 | 1-4 | should | client | roots | Roots not supported -> -32601 | Send roots/list | Answer roots/list with -32601 when roots are not supported.
170 | 1-5 | must | client | roots | Root uri starts with file:// | Inspect | Use file:// URIs for roots.
171 | 1-4 | must | client | roots | Roots change -> list_changed if listChanged declared | Change roots | Send roots/list_changed when roots change. | needs a person who changes the roots of the application
172 | 5 | must | client | roots | roots/sampling/elicitation declared per request, roots as {} | Inspect | Declare roots, sampling and elicitation in every request; roots as {}.
`,
);
