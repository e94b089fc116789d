/**
 * What the APIs of model providers accept as names and schemas of tools. Each rule names the public source that it comes
 * from: documentation where there is some, else reports that quote the refusal of the API.
 */

export type Provider = 'openai' | 'anthropic' | 'gemini';

export const PROVIDERS: readonly Provider[] = ['openai', 'anthropic', 'gemini'];

export interface ProviderRules {
  /** The names of tools. */
  readonly name: { readonly pattern: RegExp; readonly max: number; readonly source: string };
  /** The names of arguments, at any depth. */
  readonly property?: { readonly pattern: RegExp; readonly source: string };
  /** Keywords that may not stand beside `type: "object"` at the root. */
  readonly root: { readonly refused: readonly string[]; readonly source: string };
  /** Arrays have to say what their items are. */
  readonly items?: { readonly source: string };
  /** The only keywords that there are. */
  readonly keywords?: { readonly known: ReadonlySet<string>; readonly source: string };
  /** The only formats that there are, by type. */
  readonly formats?: { readonly known: Readonly<Record<string, readonly string[]>>; readonly source: string };
  /** Listed values have to be strings. */
  readonly textEnums?: { readonly source: string };
  /** Objects below the root need at least one property. */
  readonly filledObjects?: { readonly source: string };
  /** One request has room for this many tools. */
  readonly tools?: { readonly max: number; readonly source: string };
  /** Some models refuse longer descriptions of tools. */
  readonly description?: { readonly max: number; readonly source: string };
}

const GEMINI_SCHEMA = 'https://cloud.google.com/vertex-ai/docs/reference/rest/v1/Schema';
const GEMINI_FUNCTION = 'https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration';

export const PROVIDER_RULES: Readonly<Record<Provider, ProviderRules>> = {
  openai: {
    name: {
      pattern: /^[a-zA-Z0-9_-]+$/,
      max: 64,
      source: 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools',
    },
    root: {
      refused: ['oneOf', 'anyOf', 'allOf', 'enum', 'const', 'not'],
      source: 'https://github.com/langchain-ai/langchainjs/issues/9804',
    },
    items: { source: 'https://platform.openai.com/docs/guides/structured-outputs#supported-schemas' },
    tools: { max: 128, source: 'https://github.com/zed-industries/zed/issues/32946' },
    description: { max: 1024, source: 'https://github.com/getsentry/sentry-mcp/issues/106' },
  },
  anthropic: {
    name: {
      pattern: /^[a-zA-Z0-9_-]+$/,
      max: 128,
      source: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1345',
    },
    property: {
      pattern: /^[a-zA-Z0-9_.-]{1,64}$/,
      source: 'https://github.com/anthropics/claude-code/issues/79418',
    },
    root: {
      refused: ['oneOf', 'allOf', 'anyOf'],
      source: 'https://github.com/anthropics/claude-code/issues/5319',
    },
  },
  gemini: {
    name: { pattern: /^[a-zA-Z_][a-zA-Z0-9_.-]*$/, max: 64, source: GEMINI_FUNCTION },
    property: { pattern: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, source: GEMINI_FUNCTION },
    root: { refused: ['oneOf', 'allOf', 'anyOf', 'enum', 'const', 'not'], source: GEMINI_FUNCTION },
    items: { source: 'https://github.com/sbroenne/mcp-server-excel/pull/709' },
    keywords: {
      known: new Set([
        'type',
        'format',
        'title',
        'description',
        'nullable',
        'default',
        'items',
        'minItems',
        'maxItems',
        'enum',
        'properties',
        'propertyOrdering',
        'required',
        'minProperties',
        'maxProperties',
        'minimum',
        'maximum',
        'minLength',
        'maxLength',
        'pattern',
        'example',
        'anyOf',
      ]),
      source: GEMINI_SCHEMA,
    },
    formats: {
      known: { string: ['enum', 'date-time'], number: ['float', 'double'], integer: ['int32', 'int64'] },
      source: 'https://firebase.google.com/docs/reference/js/ai.schemashared',
    },
    textEnums: { source: 'https://github.com/decolua/9router/pull/380' },
    filledObjects: { source: 'https://github.com/home-assistant/core/pull/122403' },
  },
};
