/** Tools of MCP servers for model providers, and models of providers for servers that ask for sampling. */
export { aiSdkSampler } from './ai-sdk-sampler.js';
export { aiSdkTools } from './ai-sdk-tools.js';
export { anthropicSampler } from './anthropic-sampler.js';
export { anthropicTools } from './anthropic-tools.js';
export { openaiSampler } from './openai-sampler.js';
export { openaiChatTools, openaiResponsesTools } from './openai-tools.js';
export type { AdapterOptions } from './toolset.js';
