/** The inputs of action.yml as a command line, and its results as outputs. */

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';

export type ActionMode = 'test' | 'validate' | 'discover';

export interface ActionCommand {
  readonly mode: ActionMode;
  readonly words: readonly string[];
}

/** `result` is the file that outputs are read from. */
export function actionCommand(inputs: JsonObject, result: string): ActionCommand {
  const text = (name: string): string => String(inputs[name] ?? '').trim();
  const given = (flag: string, name: string): string[] => (text(name) === '' ? [] : [flag, text(name)]);
  const server = text('server-command')
    .split(/\s+/)
    .filter((word) => word !== '');
  const more = text('server-args')
    .split(',')
    .filter((word) => word !== '');
  const tail = server.length === 0 ? [] : ['--', ...server, ...more];
  const url = text('url');
  if (text('validate') === 'true') {
    const target = url === '' ? [] : [url];
    const output = text('report-output') === '' ? [] : ['--out', text('report-output')];
    return { mode: 'validate', words: ['validate', ...target, '--out', result, ...output, ...tail] };
  }
  if (text('discover') === 'true')
    return {
      mode: 'discover',
      words: ['test', '--generate', ...given('--url', 'url'), ...given('-o', 'discovery-output'), ...tail],
    };
  const reporter = text('reporter');
  const isFile = reporter !== '' && reporter !== 'console';
  const reports = isFile
    ? [
        '--reporter',
        `github,console,json,${reporter}`,
        '--report-output',
        result,
        ...given('--report-output', 'report-output'),
      ]
    : ['--reporter', 'github,console,json', '--report-output', result];
  return {
    mode: 'test',
    words: [
      'test',
      ...given('--config', 'config'),
      ...given('--tools', 'tools'),
      ...given('--resources', 'resources'),
      ...given('--prompts', 'prompts'),
      ...given('--timeout', 'timeout'),
      ...given('--transport', 'transport'),
      ...given('--url', 'url'),
      ...given('--filter', 'filter'),
      ...given('--skip', 'skip'),
      ...(text('update-snapshots') === 'true' ? ['--update-snapshots'] : []),
      ...reports,
      ...tail,
    ],
  };
}

/** Lines for the file that GitHub reads outputs from. */
export function actionOutputs(mode: ActionMode, result: JsonObject, reportPath: string): string {
  const { passed = 0, failed = 0, total = 0, duration = 0, score = '', level = '' } = result;
  const rate = Number(total) === 0 ? 0 : Math.round((Number(passed) / Number(total)) * 100);
  const outputs: [string, unknown][] =
    mode === 'validate'
      ? [
          ['compliance-score', score],
          ['compliance-level', level],
        ]
      : [
          ['passed', passed],
          ['failed', failed],
          ['total', total],
          ['pass-rate', rate],
          ['duration', duration],
        ];
  return [...outputs, ['report-path', reportPath]].map(([name, value]) => `${name}=${value}\n`).join('');
}

export function runAction(): number {
  const source = process.env.PLUMB_ACTION_INPUTS;
  const inputs: unknown = source === undefined ? undefined : JSON.parse(source);
  if (!isRecord(inputs)) throw new UsageError('--action is for action.yml, which sets PLUMB_ACTION_INPUTS');
  const folder = mkdtempSync(join(tmpdir(), 'plumb-action-'));
  try {
    const file = join(folder, 'result.json');
    const { mode, words } = actionCommand(inputs, file);
    const { status } = spawnSync(process.execPath, [process.argv[1] ?? '', ...words], { stdio: 'inherit' });
    const result: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const target = process.env.GITHUB_OUTPUT;
    const report = String(inputs['report-output'] ?? '');
    if (target !== undefined)
      appendFileSync(target, actionOutputs(mode, isRecord(result) ? result : {}, report));
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
