/**
 * `plumb connect NAME`: a stdio client's end of the hub. It starts with every server of every client, so it loads nothing
 * but what it needs: it passes bytes on, and starts the hub where none runs.
 */

import { connect as openSocket, type Socket } from 'node:net';
import { currentHubPlaces, type HubPlaces } from './hub-places.js';

/** How long the hub may take to listen. */
const START_MS = 15_000;
const FIRST_RETRY_MS = 10;
const LAST_RETRY_MS = 200;
/** The hub's first line is short. */
const MAX_REPLY_BYTES = 64 * 1024;

/** Returns the exit code. */
export async function connectToHub(words: readonly string[], program: string): Promise<number> {
  const [name, ...more] = words;
  if (name === undefined || name.startsWith('-') || more.length > 0) {
    process.stderr.write('plumb: Give the name of a server of the hub: plumb connect NAME\n');
    return 2;
  }
  const socket = await reachHub(currentHubPlaces(), program);
  if (socket === undefined) {
    process.stderr.write('plumb: The hub does not start; plumb hub run shows why\n');
    return 3;
  }
  return pass(socket, name);
}

/** Undefined when it could not be reached in time. */
export async function reachHub(places: HubPlaces, program: string): Promise<Socket | undefined> {
  const deadline = Date.now() + START_MS;
  let started = false;
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LAST_RETRY_MS)) {
    const socket = await attempt(places);
    if (socket !== undefined) return socket;
    if (Date.now() > deadline) return undefined;
    if (!started) await startHub(program);
    started = true;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Undefined when no hub listens. */
export function attempt({ socket: path }: Pick<HubPlaces, 'socket'>): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = openSocket({ path, allowHalfOpen: true });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', () => resolve(undefined));
  });
}

/** In a session of its own: it outlives the client that needed it first. */
async function startHub(program: string): Promise<void> {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, [program, 'hub', 'run'], {
    detached: true,
    stdio: 'ignore',
    // The hub outlives npx too (runner-watch.ts).
    env: { ...process.env, npm_lifecycle_script: undefined },
    // On Windows a detached program gets a window of its own otherwise.
    windowsHide: true,
  });
  // It shows when the socket cannot be reached.
  child.once('error', () => {});
  child.unref();
}

function pass(socket: Socket, name: string): Promise<number> {
  const { stdin, stdout, stderr } = process;
  return new Promise((resolve) => {
    let reply = Buffer.alloc(0);
    let accepted = false;
    let inputEnded = false;
    const end = (code: number, message?: string): void => {
      if (message !== undefined) stderr.write(`plumb: ${message}\n`);
      socket.destroy();
      stdin.destroy();
      resolve(code);
    };
    socket.on('error', () => end(1, 'The hub ended; start the client again'));
    socket.on('end', () => (inputEnded && accepted ? end(0) : end(1, 'The hub closed the connection')));
    stdout.on('error', () => end(0));
    stdin.on('end', () => {
      inputEnded = true;
      socket.end();
    });
    socket.write(`${JSON.stringify({ plumb: 1, connect: name })}\n`);
    stdin.pipe(socket, { end: false });
    const read = (chunk: Buffer): void => {
      reply = Buffer.concat([reply, chunk]);
      const newline = reply.indexOf(10);
      if (newline < 0) {
        if (reply.length > MAX_REPLY_BYTES) end(1, 'The hub answers something else; run plumb hub stop');
        return;
      }
      socket.off('data', read);
      const refusal = refusalIn(reply.subarray(0, newline).toString());
      if (refusal !== undefined) {
        end(1, refusal);
        return;
      }
      accepted = true;
      const rest = reply.subarray(newline + 1);
      if (rest.length > 0) stdout.write(rest);
      socket.pipe(stdout, { end: false });
    };
    socket.on('data', read);
  });
}

function refusalIn(line: string): string | undefined {
  try {
    const { ok, error } = JSON.parse(line) as { readonly ok?: unknown; readonly error?: unknown };
    return ok === true ? undefined : String(error);
  } catch {
    return 'The hub answers something else; run plumb hub stop';
  }
}
