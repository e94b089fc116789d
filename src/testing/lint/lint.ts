/** Whether models can use the tools of a server: what they cost, what providers refuse, and what is hard to choose. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { PROVIDER_RULES, PROVIDERS, type Provider } from '../../middleware/fit/provider-rules.js';
import { refusals } from '../../middleware/fit/refusals.js';
import { TOKENIZER, toolTokens } from './tokens.js';

export interface LintFinding {
  /** `error`: a provider refuses it, or clients cannot tell tools apart. */
  readonly level: 'error' | 'warning';
  readonly rule: string;
  readonly tool?: string;
  readonly provider?: Provider;
  readonly message: string;
  /** Where the rule comes from. */
  readonly source?: string;
}

export interface LintReport {
  readonly tokenizer: string;
  readonly tokens: number;
  /** The most expensive first. */
  readonly tools: readonly { readonly name: string; readonly tokens: number }[];
  readonly findings: readonly LintFinding[];
}

export function lintTools(
  tools: readonly JsonObject[],
  providers: readonly Provider[] = PROVIDERS,
): LintReport {
  const costs = tools
    .map((tool) => ({ name: String(tool.name), tokens: toolTokens(tool) }))
    .sort((one, other) => other.tokens - one.tokens);
  const findings = [
    ...providers.flatMap((provider) => tools.flatMap((tool) => refused(provider, tool))),
    ...providers.flatMap((provider) => tooMany(provider, tools.length)),
    ...sameNames(tools),
    ...tools.flatMap(undescribed),
  ];
  return {
    tokenizer: TOKENIZER,
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    tools: costs,
    findings: [
      ...findings.filter(({ level }) => level === 'error'),
      ...findings.filter(({ level }) => level === 'warning'),
    ],
  };
}

function refused(provider: Provider, tool: JsonObject): LintFinding[] {
  return refusals(provider, tool).map(({ rule, message, source, partial }) => ({
    level: partial === true ? 'warning' : 'error',
    rule,
    tool: String(tool.name),
    provider,
    message,
    source,
  }));
}

function tooMany(provider: Provider, count: number): LintFinding[] {
  const limit = PROVIDER_RULES[provider].tools;
  if (limit === undefined || count <= limit.max) return [];
  const message = `${count} tools, and a request has room for ${limit.max}; hide some, or use toolSearch`;
  return [{ level: 'error', rule: 'tool-count', provider, message, source: limit.source }];
}

/** Names that are the same, or the same to a reader that does not see case and separators. */
function sameNames(tools: readonly JsonObject[]): LintFinding[] {
  const groups = new Map<string, string[]>();
  for (const { name } of tools) {
    const key = String(name)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '');
    groups.set(key, [...(groups.get(key) ?? []), String(name)]);
  }
  return [...groups.values()].flatMap((names): LintFinding[] => {
    const [first = '', ...others] = names;
    const isTwice = others.includes(first);
    if (others.length === 0) return [];
    if (isTwice)
      return [{ level: 'error', rule: 'duplicate-name', tool: first, message: 'the name is listed twice' }];
    const message = `the name is hard to tell from ${others.join(', ')}`;
    return [{ level: 'warning', rule: 'ambiguous-name', tool: first, message }];
  });
}

function undescribed(tool: JsonObject): LintFinding[] {
  const name = String(tool.name);
  const findings: LintFinding[] = [];
  if (isBlank(tool.description)) {
    const message = 'no description: a model has only the name to choose by';
    findings.push({ level: 'warning', rule: 'missing-description', tool: name, message });
  }
  const properties =
    isRecord(tool.inputSchema) && isRecord(tool.inputSchema.properties) ? tool.inputSchema.properties : {};
  const silent = Object.entries(properties).filter(
    ([, schema]) => !isRecord(schema) || isBlank(schema.description),
  );
  if (silent.length > 0) {
    const message = `arguments without a description: ${silent.map(([argument]) => argument).join(', ')}`;
    findings.push({ level: 'warning', rule: 'missing-argument-description', tool: name, message });
  }
  return findings;
}

function isBlank(description: unknown): boolean {
  return typeof description !== 'string' || description.trim() === '';
}
