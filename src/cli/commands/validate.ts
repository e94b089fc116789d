import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { singleLine } from '../../protocol/display.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import {
  diagnose,
  FORMATS,
  fuzz,
  type Report,
  reportOf,
  terminalReport,
  type ValidateOptions,
  validateServer,
} from '../../validate/index.js';
import { allFindings, breaks, fingerprint, type ReportOptions } from '../../validate/report/report.js';
import { REQUIREMENTS } from '../../validate/requirements/index.js';
import type { ValidationTarget } from '../../validate/target.js';
import { EXIT_FAILED, EXIT_UNREACHABLE, UsageError } from '../failure/failure.js';
import { type ConnectFlags, startLimit } from '../options/flags.js';
import { chosenRevisions } from '../options/revisions.js';
import { createTerminal, type Terminal } from '../output/terminal.js';
import { probe } from '../target/probe-target.js';
import type { TargetFlags } from '../target/target.js';
import { showStep } from './doctor.js';
import { tokenCommand, withToken } from './token-command.js';
import { listRequirements } from './validate-list.js';

export interface ValidateFlags extends TargetFlags, ConnectFlags {
  readonly revision?: readonly string[];
  readonly only?: readonly string[];
  readonly tool?: readonly string[];
  readonly callTools?: boolean;
  readonly sse?: boolean;
  readonly tokenCommand?: string;
  readonly full?: boolean;
  readonly source?: string;
  readonly client?: boolean;
  readonly listen?: number;
  readonly fuzz?: number;
  readonly seed?: number;
  readonly failOn: 'must' | 'should' | 'none';
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly timeout?: number;
  readonly out?: readonly string[];
}

const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.html': 'html',
  '.json': 'json',
  '.md': 'markdown',
  '.xml': 'junit',
  '.sarif': 'sarif',
  '.svg': 'badge',
  '.txt': 'text',
};

export async function validate(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: ValidateFlags,
): Promise<number> {
  const out = createTerminal(process.stdout);
  if (flags.list === true) {
    out.write(listRequirements());
    return 0;
  }
  if (flags.updateBaseline === true && flags.baseline === undefined) {
    throw new UsageError('--update-baseline needs --baseline FILE');
  }
  reportFiles(flags);
  if (flags.client === true) {
    const { judgeClient } = await import('./validate-client.js');
    return conclude(
      reportOf(await judgeClient(command, flags, out), readBaseline(flags.baseline)),
      flags,
      out,
    );
  }
  knownIds(flags.only);
  if (words.length === 0 && command === undefined && flags.config !== undefined) {
    const { validateAll } = await import('./validate-all.js');
    return validateAll(flags, out, judge);
  }
  const mintToken = flags.tokenCommand === undefined ? undefined : tokenCommand(flags.tokenCommand);
  const probed = probe(words, command, flags, flags.sse === true ? 'sse' : 'http');
  const target = await withToken(probed.target, mintToken);
  const { connectTimeout } = probed;
  const revisions = chosenRevisions(flags.revision);
  const limit = startLimit(flags, connectTimeout);
  const report = await judge(target, flags, revisions, limit, mintToken);
  const exitCode = conclude(report, flags, out);
  if (report.spoken.length === 0 && flags.json !== true && flags.quiet !== true)
    await explain(target, limit, report.elapsedMs, out);
  if (flags.fuzz === undefined || report.revisions.length === 0) return exitCode;
  return (await attack(target, flags, flags.fuzz, out)) ? EXIT_FAILED : exitCode;
}

function conclude(report: Report, flags: ValidateFlags, out: Terminal): number {
  save(report, flags);
  show(report, flags, out);
  if (report.revisions.length === 0) return EXIT_UNREACHABLE;
  // What was just written down is known.
  if (flags.updateBaseline === true) return 0;
  return breaks(report, flags.failOn) ? EXIT_FAILED : 0;
}

/** Random messages; prints how to repeat the run. */
async function attack(
  target: ValidationTarget,
  flags: ValidateFlags,
  milliseconds: number,
  out: Terminal,
): Promise<boolean> {
  const seed = flags.seed ?? Math.floor(Math.random() * 999_999);
  const { sent, failures } = await fuzz(target, { duration: milliseconds, seed });
  out.write(
    `Fuzzing: ${sent} random messages, ${failures.length} that broke the server; repeat with --seed ${seed}\n`,
  );
  for (const { revision, what, minimal } of failures)
    out.write(`  ${revision}  ${singleLine(what)}\n    ${singleLine(minimal)}\n`);
  return failures.length > 0;
}

/** Tests one server as the flags say. */
export async function judge(
  target: ValidationTarget,
  flags: ValidateFlags,
  revisions: readonly Revision[],
  limit: Pick<ValidateOptions, 'connectTimeout'>,
  mintToken: ValidateOptions['mintToken'],
): Promise<Report> {
  const screen = createTerminal(process.stderr);
  const quiet = flags.quiet === true || !screen.interactive;
  const options: ValidateOptions = {
    revisions,
    ...limit,
    callTools: flags.callTools === true,
    ...(mintToken === undefined ? {} : { mintToken }),
    ...(flags.only === undefined ? {} : { only: flags.only.map((id) => id.padStart(3, '0')) }),
    ...(flags.tool === undefined ? {} : { tools: flags.tool }),
    ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
    ...(quiet
      ? {}
      : {
          onProgress: ({ revision, done, total, title }) => {
            screen.write(
              `\r\u001b[K${revision} ${done + 1}/${total} ${title.slice(0, Math.max(10, screen.columns - 30))}`,
            );
          },
        }),
  };
  const validation = await validateServer(target, options);
  if (!quiet) screen.write('\r\u001b[K');
  return reportOf(validation, readBaseline(flags.baseline));
}

/** One fingerprint a line; what stands after # is for people. */
function readBaseline(file: string | undefined): ReadonlySet<string> {
  if (file === undefined || !existsSync(file)) return new Set();
  const lines = readFileSync(file, 'utf8').split('\n');
  return new Set(lines.map((line) => line.split('#')[0]?.trim() ?? '').filter((line) => line !== ''));
}

/** Every file that was asked for, by format. Throws before anything runs when one cannot be written. */
function reportFiles(flags: ValidateFlags): readonly (readonly [format: string, file: string])[] {
  return (flags.out ?? []).map((file) => {
    const format = BY_EXTENSION[extname(file)];
    if (format === undefined)
      throw new UsageError(
        `--out ${file}: the file extension must be one of ${Object.keys(BY_EXTENSION).join(' ')}`,
      );
    return [format, file] as const;
  });
}

function save(report: Report, flags: ValidateFlags): void {
  for (const [format, file] of reportFiles(flags))
    writeFileSync(file, FORMATS[format]?.(report, reportOptions(flags)) ?? '');
  if (flags.updateBaseline === true && flags.baseline !== undefined) {
    const lines = allFindings(report).map((finding) => `${fingerprint(finding)}  # ${finding.title}`);
    writeFileSync(flags.baseline, `${[...new Set(lines)].toSorted().join('\n')}\n`);
  }
}

function reportOptions({ full = false, source, failOn }: ValidateFlags): ReportOptions {
  return { full, failOn, ...(source === undefined ? {} : { source }) };
}

/** Why nothing answers, as the doctor sees it. */
async function explain(
  target: ValidationTarget,
  limit: Pick<ValidateOptions, 'connectTimeout'>,
  elapsedMs: number,
  out: Terminal,
): Promise<void> {
  out.write('\nplumb doctor reports:\n');
  const waited = limit.connectTimeout ?? elapsedMs;
  const options = target.kind === 'stdio' ? { ...limit, waited } : limit;
  for (const step of await diagnose(target, options)) showStep(step, out);
}

/** Throws where --only names what there is not. */
function knownIds(only: readonly string[] | undefined): void {
  const unknown = (only ?? []).filter((word) => !REQUIREMENTS.some(({ id }) => id === word.padStart(3, '0')));
  if (unknown.length > 0)
    throw new UsageError(
      `--only: there is no requirement ${unknown.join(', ')}; plumb validate --list has all`,
    );
}

function show(report: Report, flags: ValidateFlags, out: Terminal): void {
  if (flags.json === true) out.write(FORMATS.json?.(report, reportOptions(flags)) ?? '');
  else if (flags.quiet === true)
    out.write(`${report.score}/100 ${report.level} ${singleLine(report.target)}\n`);
  else out.write(terminalReport(report, (style, text) => out.style(style, text)));
}
