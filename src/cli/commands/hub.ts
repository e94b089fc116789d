import { createReadStream, existsSync, readFileSync, statSync, unwatchFile, watchFile } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { OAuth } from '../../auth/index.js';
import { printable, safeJson, singleLine } from '../../protocol/display.js';
import { CommandFailure, EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import { attempt, reachHub } from '../hub/connect.js';
import { hubNames } from '../hub/hub-config.js';
import type { HubCommand, HubReply, HubStatus } from '../hub/hub-message.js';
import { currentHubPlaces, type HubPlaces } from '../hub/hub-places.js';
import { createTerminal } from '../output/terminal.js';
import { Interruption } from '../session/interruption.js';

export interface HubFlags {
  readonly json?: boolean;
  readonly follow?: boolean;
  readonly lines?: number;
  readonly idle?: number;
  readonly browser?: boolean;
}

const DEFAULT_LINES = 100;
const FOLLOW_MS = 250;
const IDLE_MS = 5 * 60_000;
const HUB_IDLE_MS = 30 * 60_000;

export async function hub(words: readonly string[], flags: HubFlags): Promise<number> {
  const [verb = 'status', name, ...more] = words;
  if (more.length > 0 || (name !== undefined && verb !== 'logs'))
    throw new UsageError(`Too many words: ${words.slice(1).join(' ')}; see plumb hub --help`);
  const places = currentHubPlaces();
  switch (verb) {
    case 'run':
      return run(places, flags);
    case 'status':
      return showStatus(places, flags);
    case 'stop':
      return stop(places);
    case 'inspect':
      return inspect(places);
    case 'logs':
      return logs(name, flags);
    default:
      throw new UsageError(`"${verb}" is unknown; use run, status, stop, logs or inspect`);
  }
}

async function run(places: HubPlaces, flags: HubFlags): Promise<number> {
  const { Hub } = await import('../hub/hub.js');
  const { openCredentials, openedBrowser } = await import('../session/credentials.js');
  const interruption = new Interruption();
  try {
    const { signal } = interruption;
    const note = (text: string): void => void process.stderr.write(`plumb: ${printable(text)}\n`);
    const browser = await openedBrowser({ signal, note }, flags.browser !== false);
    // One for each account: it knows which logins are under way.
    const logins = new Map<string | undefined, Promise<OAuth>>();
    const auth = (account: string | undefined): Promise<OAuth> => {
      const known = logins.get(account) ?? openCredentials(browser, { account });
      logins.set(account, known);
      return known;
    };
    const running = await Hub.start({
      places,
      auth,
      idleMs: flags.idle ?? IDLE_MS,
      hubIdleMs: HUB_IDLE_MS,
      inspect: openInspector,
    });
    if (running === undefined) {
      process.stderr.write('plumb: A hub runs already; see plumb hub status\n');
      return EXIT_OK;
    }
    process.stderr.write(`The hub listens at ${places.socket}\n`);
    signal.addEventListener('abort', () => void running.close(), { once: true });
    await running.ended;
    return interruption.exitCode ?? EXIT_OK;
  } finally {
    interruption.release();
  }
}

async function openInspector() {
  const { createInspector, listenInspector } = await import('../../inspector/inspector.js');
  const { ChainWatch } = await import('../../inspector/watch-chain.js');
  const inspector = createInspector({});
  const listener = await listenInspector(inspector, 0);
  return {
    url: listener.url.href,
    watch: (name: string) => new ChainWatch(inspector.core, name),
    close: () => listener.close(),
  };
}

async function showStatus(places: HubPlaces, { json }: HubFlags): Promise<number> {
  const out = createTerminal(process.stdout);
  const socket = await attempt(places);
  const status = socket === undefined ? undefined : (await ask(socket, 'status')).status;
  const configured = hubNames(places.config);
  if (json === true) {
    out.write(`${safeJson({ running: status !== undefined, configured, ...status }, 2)}\n`);
    return EXIT_OK;
  }
  if (status === undefined) out.write('The hub does not run; the first client starts it\n');
  else out.write(`The hub runs as process ${status.pid}, for ${Math.round(status.upMs / 1_000)} s\n`);
  if (configured.length === 0) out.write('It has no servers; add one with plumb add --hub\n');
  for (const name of configured) out.write(`  ${lineOf(name, status)}\n`);
  return EXIT_OK;
}

function lineOf(name: string, status: HubStatus | undefined): string {
  const server = status?.servers.find((running) => running.name === name);
  if (server === undefined) return `${singleLine(name)}  not running`;
  const { state, clients, connections, perClient, lastError } = server;
  const counts = `${plural(clients, 'client')}, ${plural(connections, 'process', 'processes')}`;
  const error = lastError === undefined ? '' : `, last error: ${lastError}`;
  const facts = `${state}, ${counts}${perClient ? ', one for each client' : ''}${error}`;
  return `${singleLine(name)}  ${singleLine(facts)}`;
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

async function stop(places: HubPlaces): Promise<number> {
  const socket = await attempt(places);
  if (socket === undefined) {
    process.stdout.write('The hub does not run\n');
    return EXIT_OK;
  }
  await ask(socket, 'stop');
  process.stdout.write('The hub ends, and its servers with it\n');
  return EXIT_OK;
}

async function inspect(places: HubPlaces): Promise<number> {
  const socket = await reachHub(places, process.argv[1] ?? '');
  if (socket === undefined)
    throw new CommandFailure(EXIT_FAILED, 'The hub does not start; plumb hub run shows why');
  const { inspector } = await ask(socket, 'inspect');
  process.stdout.write(`The inspector is at ${inspector}\n`);
  return EXIT_OK;
}

function ask(socket: Socket, command: HubCommand): Promise<Extract<HubReply, { ok: true }>> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.once('error', reject);
    socket.once('end', () => {
      socket.destroy();
      const reply = parseReply(text);
      if (reply.ok) resolve(reply);
      else reject(new CommandFailure(EXIT_FAILED, reply.error));
    });
    socket.write(`${JSON.stringify({ plumb: 1, command })}\n`);
  });
}

function parseReply(text: string): HubReply {
  try {
    return JSON.parse(text) as HubReply;
  } catch {
    return { ok: false, error: 'The hub ended before it answered' };
  }
}

/** `plumb hub logs` and `plumb logs`: the last lines of the hub's log, and those that follow. */
export async function logs(
  name: string | undefined,
  { follow, lines = DEFAULT_LINES }: HubFlags,
): Promise<number> {
  const { log, folder } = currentHubPlaces();
  const concerns = (line: string): boolean =>
    name === undefined || line.split(' ').slice(1, 2).join('') === name;
  if (!existsSync(log) && follow !== true) {
    process.stdout.write(
      `There is no log yet in ${join(folder, 'hub.log')}; the hub writes it when it runs\n`,
    );
    return EXIT_OK;
  }
  const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
  const last = text.split('\n').filter((line) => line !== '' && concerns(line));
  for (const line of last.slice(-lines)) process.stdout.write(`${line}\n`);
  if (last.length === 0 && name !== undefined)
    process.stdout.write(`The log has no line of "${name}"; plumb hub status shows the servers\n`);
  if (follow !== true) return EXIT_OK;
  return followLog(log, Buffer.byteLength(text), concerns);
}

async function followLog(path: string, from: number, concerns: (line: string) => boolean): Promise<number> {
  const interruption = new Interruption();
  let position = from;
  let rest = '';
  const read = async (): Promise<void> => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    // It was put aside, and begins again.
    if (size < position) position = 0;
    if (size === position) return;
    for await (const chunk of createReadStream(path, { start: position, end: size - 1, encoding: 'utf8' }))
      rest += String(chunk);
    position = size;
    const whole = rest.split('\n');
    rest = whole.pop() ?? '';
    for (const line of whole) if (concerns(line)) process.stdout.write(`${line}\n`);
  };
  let reading: Promise<void> = Promise.resolve();
  const changed = (): void => {
    reading = reading.then(read);
  };
  watchFile(path, { interval: FOLLOW_MS }, changed);
  try {
    await new Promise<void>((resolve) => {
      interruption.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await reading;
    return EXIT_OK;
  } finally {
    unwatchFile(path, changed);
    interruption.release();
  }
}
