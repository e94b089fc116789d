/** Tools of MCP servers for model providers, and models of providers for servers that ask for sampling. */
export {
  type AiSdkRequest,
  type AiSdkResponse,
  aiSdkSampler,
} from './ai-sdk-sampler.js';
export { type AiSdkOutput, type AiSdkResult, type AiSdkTool, aiSdkTools } from './ai-sdk-tools.js';
export {
  type AnthropicClient,
  type AnthropicRequest,
  type AnthropicResponse,
  type AnthropicResponseBlock,
  anthropicSampler,
} from './anthropic-sampler.js';
export {
  type AnthropicBlock,
  type AnthropicResultPart,
  type AnthropicTool,
  type AnthropicToolResult,
  type AnthropicTools,
  anthropicTools,
} from './anthropic-tools.js';
export {
  type OpenAiChatClient,
  type OpenAiChatRequest,
  type OpenAiChatResponse,
  openaiSampler,
} from './openai-sampler.js';
export {
  type OpenAiChatCall,
  type OpenAiChatTool,
  type OpenAiChatToolMessage,
  type OpenAiChatTools,
  type OpenAiResponsesItem,
  type OpenAiResponsesOutput,
  type OpenAiResponsesTool,
  type OpenAiResponsesTools,
  openaiChatTools,
  openaiResponsesTools,
} from './openai-tools.js';
export type { Sampler, SamplerOptions } from './sampling-request.js';
export type { AdapterOptions, ToolSource } from './toolset.js';
