/** Tools of MCP servers for model providers, and models of providers for servers that ask for sampling. */
export { aiSdkSampler } from './ai-sdk-sampler.js';
export { type AiSdkTool, aiSdkTools } from './ai-sdk-tools.js';
export { anthropicSampler } from './anthropic-sampler.js';
export { type AnthropicTools, anthropicTools } from './anthropic-tools.js';
export { openaiSampler } from './openai-sampler.js';
export {
  type OpenAiChatTools,
  type OpenAiResponsesTools,
  openaiChatTools,
  openaiResponsesTools,
} from './openai-tools.js';
export type { Sampler, SamplerOptions } from './sampling-request.js';
export type { AdapterOptions, ToolSource } from './toolset.js';
