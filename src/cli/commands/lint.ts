import { PROVIDERS, type Provider } from '../../middleware/fit/provider-rules.js';
import { singleLine } from '../../protocol/display.js';
import { type LintFinding, type LintReport, lintTools } from '../../testing/lint/lint.js';
import { EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import type { Terminal } from '../output/terminal.js';
import { withSession } from '../session/session.js';
import { resolveTarget } from '../target/target.js';

export interface LintFlags extends ConnectionFlags, AskFlags {
  readonly provider?: readonly string[];
  readonly failOn: 'error' | 'warning' | 'none';
}

export async function lint(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: LintFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  if (target.rest.length > 0)
    throw new UsageError(`Too many words: ${target.rest.join(' ')}; see plumb lint --help`);
  const providers = flags.provider?.map(providerOf) ?? PROVIDERS;
  const everything = { ...flags, root: flags.root ?? [] };
  return withSession(
    { target, flags: everything, method: 'tools/list' },
    async ({ client, call, json, out }) => {
      const tools = client.capabilities.tools === undefined ? [] : await client.tools.list(call);
      const report = lintTools(
        tools.map((tool) => ({ ...tool })),
        providers,
      );
      if (flags.json === true) json(report);
      else write(report, out);
      return isFailing(report, flags.failOn) ? EXIT_FAILED : EXIT_OK;
    },
  );
}

function providerOf(word: string): Provider {
  const found = PROVIDERS.find((provider) => provider === word);
  if (found === undefined)
    throw new UsageError(`"${word}" is no provider; choose one of: ${PROVIDERS.join(', ')}`);
  return found;
}

function isFailing({ findings }: LintReport, failOn: LintFlags['failOn']): boolean {
  if (failOn === 'none') return false;
  return failOn === 'warning' ? findings.length > 0 : findings.some(({ level }) => level === 'error');
}

function write({ tokenizer, tokens, tools, findings }: LintReport, out: Terminal): void {
  out.write(`${out.style('bold', `${tokens} tokens for ${tools.length} tools`)} (${tokenizer})\n`);
  for (const tool of tools) out.write(`${String(tool.tokens).padStart(7)}  ${singleLine(tool.name)}\n`);
  if (findings.length === 0) out.write('\nNothing found\n');
  else out.write(`\n${findings.map((finding) => describe(finding, out)).join('\n')}\n`);
}

function describe({ level, provider, tool, message, rule, source }: LintFinding, out: Terminal): string {
  const styled = out.style(level === 'error' ? 'red' : 'yellow', level.padEnd(7));
  const who = provider === undefined ? '' : `${provider}: `;
  const subject = tool === undefined ? '' : `${tool}: `;
  const origin = source === undefined ? '' : ` ${source}`;
  return `${styled}  ${singleLine(`${who}${subject}${message}`)} ${out.style('dim', `(${rule}${origin})`)}`;
}
