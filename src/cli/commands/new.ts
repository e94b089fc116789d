import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import spawn from 'cross-spawn';
import { PLUMB_VERSION } from '../../protocol/version.js';
import { askFor, canAsk, confirm, converse } from '../clients/client-questions.js';
import { nodeRunsTypeScript } from '../dev/typescript.js';
import { CommandFailure, EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import { createTerminal } from '../output/terminal.js';
import type { ScaffoldChoices, ScaffoldFeature } from '../scaffold/choices.js';
import { scaffoldFiles } from '../scaffold/scaffold.js';

export interface NewFlags {
  readonly name?: string;
  readonly transport?: 'stdio' | 'http';
  /** Resources and prompts, or `none`. */
  readonly with?: readonly string[];
  readonly auth?: boolean;
  readonly install?: boolean;
  readonly yes?: boolean;
}

type Choices = Omit<ScaffoldChoices, 'plumbVersion' | 'runsTypeScript'> & { readonly install: boolean };

const FEATURES: readonly ScaffoldFeature[] = ['resources', 'prompts'];
/** What may lie in a folder that a project is made in. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store', 'LICENSE', '.idea', '.vscode']);
/** npm's rule for new packages. */
const PACKAGE_NAME = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/;

export async function newProject(words: readonly string[], flags: NewFlags): Promise<number> {
  const [directory, ...more] = words;
  if (more.length > 0) throw new UsageError(`Too many words: ${more.join(' ')}; see plumb new --help`);
  const asks = canAsk() && flags.yes !== true;
  if (directory === undefined && !asks)
    throw new UsageError('No folder: give the one to create, as in plumb new my-server');
  const folder = resolve(directory ?? (await converse((talk) => askFor(talk, 'Folder: ', nonEmpty))));
  assertUsable(folder);
  const choices = await choicesOf(folder, flags, asks);

  const files = scaffoldFiles({
    ...choices,
    plumbVersion: PLUMB_VERSION,
    runsTypeScript: nodeRunsTypeScript(),
  });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: 'wx' });
  }
  const out = createTerminal(process.stdout);
  const place = relative(process.cwd(), folder) || '.';
  out.write(`Created ${choices.name} in ${folder} (${files.size} files)\n`);
  if (choices.install) await npmInstall(folder);
  const steps = [
    ...(place === '.' ? [] : [`cd ${/\s/.test(place) ? JSON.stringify(place) : place}`]),
    ...(choices.install ? [] : ['npm install']),
    'npm run dev        # restarts on changes; prints the address of the inspector',
    'npm test',
    'npm run validate',
  ];
  out.write(`\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`);
  return EXIT_OK;
}

async function choicesOf(folder: string, flags: NewFlags, asks: boolean): Promise<Choices> {
  const preset = packageNameOf(folder);
  const features = featuresOf(flags.with);
  if (!asks) {
    const choices = {
      name: checkName(flags.name ?? preset),
      transport: flags.transport ?? (flags.auth === true ? 'http' : 'stdio'),
      features: features ?? [],
      auth: flags.auth === true,
      install: flags.install === true,
    } as const;
    return checked(choices);
  }
  return converse(async (talk) => {
    const name =
      flags.name === undefined
        ? await askFor(talk, `Name [${preset}]: `, (answer) => checkName(answer || preset))
        : checkName(flags.name);
    const transport =
      flags.transport ??
      (flags.auth === true
        ? 'http'
        : await askFor(talk, 'Transport, stdio or http [stdio]: ', checkTransport));
    const chosen =
      features ?? ((await confirm(talk, 'With resources and prompts, beside tools?', true)) ? FEATURES : []);
    const auth =
      flags.auth ??
      (transport === 'http' && (await confirm(talk, 'Require tokens of an authorization server?', false)));
    const install = flags.install ?? (await confirm(talk, 'Run npm install?', true));
    return checked({ name, transport, features: chosen, auth, install });
  });
}

function checked(choices: Choices): Choices {
  if (choices.auth && choices.transport !== 'http')
    throw new UsageError('--auth is for servers over HTTP; use it with --transport http');
  return choices;
}

function nonEmpty(answer: string): string {
  if (answer === '') throw new UsageError('Give the name of a folder');
  return answer;
}

function checkTransport(answer: string): 'stdio' | 'http' {
  if (answer === '' || answer === 'stdio') return 'stdio';
  if (answer === 'http') return 'http';
  throw new UsageError(`"${answer}" is not a transport; answer stdio or http`);
}

function featuresOf(given: readonly string[] | undefined): readonly ScaffoldFeature[] | undefined {
  if (given === undefined) return undefined;
  return given
    .filter((word) => word !== 'none')
    .map((word) => {
      const found = FEATURES.find((feature) => feature === word);
      if (found === undefined)
        throw new UsageError(`--with ${word} is unknown; use resources, prompts or none`);
      return found;
    });
}

function packageNameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-._~]+/g, '-')
    .replaceAll(/^[-._]+|[-._]+$/g, '');
  return name === '' ? 'mcp-server' : name;
}

function checkName(name: string): string {
  if (PACKAGE_NAME.test(name) && name.length <= 214) return name;
  throw new UsageError(
    `"${name}" is not a name for an npm package; use lower-case letters, digits, - and _, with --name`,
  );
}

function assertUsable(folder: string): void {
  if (!existsSync(folder)) return;
  const there = readdirSync(folder).filter((name) => !HARMLESS.has(name));
  if (there.length === 0) return;
  throw new UsageError(`${folder} is not empty (${there.slice(0, 3).join(', ')}); choose another folder`);
}

function npmInstall(folder: string): Promise<void> {
  // npm is a script on Windows, which only cross-spawn starts without a shell's rules for words.
  const child = spawn('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  return new Promise((done, reject) => {
    child.once('error', (error) => reject(installFailure(folder, error)));
    child.once('exit', (code) => (code === 0 ? done() : reject(installFailure(folder))));
  });
}

function installFailure(folder: string, cause?: unknown): CommandFailure {
  return new CommandFailure(
    EXIT_FAILED,
    `npm install failed in ${folder}; its messages are above, run it again there`,
    {
      cause,
    },
  );
}
