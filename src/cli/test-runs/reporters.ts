/** Where the results of `plumb test` go. */

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { htmlReport } from '../../testing/report/html.js';
import { githubReport, jsonReport, junitReport } from '../../testing/report/machine.js';
import { resultLine, terminalSummary } from '../../testing/report/terminal.js';
import type { CaseResult, SuiteResult } from '../../testing/run/result.js';
import { systemProgram } from '../../transports/stdio/windows-program.js';
import { UsageError } from '../failure/failure.js';
import { StatusLine } from '../output/status.js';
import { createTerminal } from '../output/terminal.js';
import type { TestFlags } from './test-flags.js';

type Format = 'console' | 'json' | 'junit' | 'html' | 'github';

const ALIASES: Readonly<Record<string, Format>> = {
  console: 'console',
  terminal: 'console',
  text: 'console',
  json: 'json',
  junit: 'junit',
  xml: 'junit',
  html: 'html',
  github: 'github',
};
const DEFAULT_FILES: Readonly<Partial<Record<Format, string>>> = {
  html: 'plumb-test.html',
  junit: 'plumb-test.xml',
};

interface Output {
  readonly format: Format;
  /** Undefined: stdout. */
  readonly file: string | undefined;
}

/** As mcp-jest reads it; values for other programs do not count. */
function isDebugging(): boolean {
  return /^(?:1|true|\*|.*\bmcp-jest\b.*)$/.test(process.env.DEBUG ?? '');
}

export class TestReporter {
  readonly #flags: TestFlags;
  readonly #outputs: readonly Output[];
  readonly #out = createTerminal(process.stdout);
  readonly #status = new StatusLine(createTerminal(process.stderr));
  #done = 0;

  /** Throws before anything runs when a reporter is not known. */
  constructor(flags: TestFlags) {
    this.#flags = flags;
    this.#outputs = outputsOf(flags);
  }

  get #isLive(): boolean {
    return this.#outputs.some(({ format, file }) => format === 'console' && file === undefined);
  }

  started(name: string): void {
    this.#status.show(`${this.#done} done, running ${name}`.slice(0, 70));
  }

  ended(result: CaseResult): void {
    this.#done += 1;
    if (!this.#isLive) return;
    const line = resultLine(
      result,
      (style, text) => this.#out.style(style, text),
      this.#flags.verbose === true || isDebugging(),
    );
    this.#status.clear();
    if (line !== undefined) this.#out.write(`${line}\n`);
  }

  finish(suite: SuiteResult): void {
    this.#status.clear();
    for (const output of this.#outputs) {
      const text = this.#render(suite, output.format);
      if (output.file === undefined) this.#out.write(text);
      else save(output.file, text);
    }
    const page = this.#outputs.find(({ format }) => format === 'html')?.file;
    if (this.#flags.open === true && page !== undefined) openPage(page);
  }

  #render(suite: SuiteResult, format: Format): string {
    switch (format) {
      case 'console':
        return terminalSummary(suite, (style, text) => this.#out.style(style, text));
      case 'json':
        return jsonReport(suite);
      case 'junit':
        return junitReport(suite);
      case 'github':
        return githubReport(suite);
      case 'html': {
        const { title, theme, rawData } = this.#flags;
        return htmlReport(suite, { title, theme, includeRawData: rawData });
      }
    }
  }
}

function outputsOf({ reporter, reportOutput = [], json }: TestFlags): Output[] {
  const names = json === true ? ['json'] : (reporter ?? ['console']);
  const files = [...reportOutput];
  const outputs = names.map((name): Output => {
    const format = ALIASES[name];
    if (format === undefined)
      throw new UsageError(`--reporter ${name} is not known; use console, json, junit, html or github`);
    // What people read as it happens stays on the screen.
    const isScreen = format === 'console' || format === 'github';
    return { format, file: isScreen ? undefined : (files.shift() ?? DEFAULT_FILES[format]) };
  });
  if (files.length > 0)
    throw new UsageError(
      `--report-output ${files[0]} has no report: name its format with --reporter json, junit or html`,
    );
  // A report in a file does not hide what happens.
  const quiet = outputs.every(({ file }) => file !== undefined);
  return quiet ? [{ format: 'console', file: undefined }, ...outputs] : outputs;
}

function save(file: string, text: string): void {
  try {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, text);
  } catch (cause) {
    throw new UsageError(`Cannot write ${file}; choose another file with --report-output`, { cause });
  }
}

export function pageOpener(platform: NodeJS.Platform): string {
  if (platform === 'win32') return systemProgram([], 'explorer.exe');
  return platform === 'darwin' ? 'open' : 'xdg-open';
}

function openPage(file: string): void {
  const child = spawn(pageOpener(process.platform), [pathToFileURL(resolve(file)).href], {
    stdio: 'ignore',
    detached: true,
  });
  // There may be no browser at all.
  child.on('error', () => {});
  child.unref();
}
