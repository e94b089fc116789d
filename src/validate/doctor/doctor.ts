/** Why does it not work? Connects one step at a time, and stops at the first that fails. */

import { lookup } from 'node:dns/promises';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { REVISIONS } from '../../protocol/index.js';
import { openSession } from '../session/open.js';
import { outcomeOf } from '../session/reply.js';
import type { Target } from '../target.js';
import { Recorder } from '../wire/recorder.js';
import { diagnoseHttp } from './http.js';
import { diagnoseRevisions } from './revisions.js';
import { STEP_MS, type Step } from './step.js';

export async function diagnose(target: Target): Promise<readonly Step[]> {
  const steps = target.kind === 'stdio' ? await diagnoseCommand(target) : await diagnoseUrl(target);
  if (steps.some(({ ok }) => !ok)) return steps;
  return [...steps, ...(await diagnoseRevisions(target))];
}

async function diagnoseCommand(target: Target): Promise<readonly Step[]> {
  const recorder = new Recorder();
  const revision = REVISIONS.at(-2);
  if (revision === undefined) return [];
  let opened: Awaited<ReturnType<typeof openSession>>;
  try {
    opened = await openSession({ target, recorder, revision, timeoutMs: STEP_MS });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ name: 'start', ok: false, detail, fix: 'Check the command, its path and its permissions.' }];
  }
  const { session, greeting } = opened;
  try {
    const noise = recorder.entries.find(({ kind }) => kind === 'noise');
    const answered = greeting?.kind === 'result';
    // A server of the stateless era alone refuses the handshake and is in order.
    const discovered = answered
      ? undefined
      : await session.request('server/discover', {}, { timeoutMs: STEP_MS });
    const speaks = answered || discovered?.kind === 'result' || greeting?.kind === 'error';
    const ended = session.connection.epitaph;
    const steps: Step[] = [
      ended === ''
        ? { name: 'start', ok: true, detail: 'the process runs' }
        : {
            name: 'start',
            ok: false,
            detail: `${ended} before it answered`,
            fix: 'The process gave up by itself: its last words say why. Run the command by hand to see all of them.',
          },
    ];
    if (noise !== undefined) {
      steps.push({
        name: 'stdout',
        ok: false,
        detail: `stdout carries something that is no message: ${JSON.stringify(noise.text.slice(0, 200))}`,
        fix: 'Write logs and banners to stderr; console.log goes to stdout, console.error to stderr.',
      });
    }
    if (ended !== '') return steps;
    steps.push(
      speaks
        ? {
            name: 'answer',
            ok: true,
            detail: `initialize was answered with ${greeting === undefined ? 'nothing' : outcomeOf(greeting)}`,
          }
        : {
            name: 'answer',
            ok: false,
            detail: `no answer within ${STEP_MS / 1000} s`,
            fix: 'The process runs and does not speak MCP on stdin and stdout; many servers need a flag such as --stdio.',
          },
    );
    return steps;
  } finally {
    await session.close();
  }
}

type UrlTarget = Exclude<Target, { kind: 'stdio' }>;

async function diagnoseUrl(target: UrlTarget): Promise<readonly Step[]> {
  const { url } = target;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const steps: Step[] = [];
  const run = async (name: string, work: () => Promise<string>, fix: string): Promise<boolean> => {
    try {
      steps.push({ name, ok: true, detail: await work() });
      return true;
    } catch (error) {
      steps.push({ name, ok: false, detail: error instanceof Error ? error.message : String(error), fix });
      return false;
    }
  };
  const reached =
    (await run(
      'dns',
      async () => `${host} is ${(await lookup(host)).address}`,
      `Check the spelling of ${host}, and the network.`,
    )) &&
    (await run(
      'tcp',
      () => reach(host, port),
      `Nothing listens at ${host}:${port}: start the server, or correct the port.`,
    )) &&
    (url.protocol !== 'https:' ||
      (await run(
        'tls',
        () => secure(host, port),
        'The server speaks no TLS there (then use http://), or its certificate is not accepted: check its name, its dates and its issuer.',
      )));
  if (reached) steps.push(...(await diagnoseHttp(target)));
  return steps;
}

function reach(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port, timeout: STEP_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve(`${host}:${port} accepts connections`);
    });
    socket.once('error', reject);
    socket.once('timeout', () => {
      socket.destroy();
      reject(new Error(`no connection within ${STEP_MS / 1000} s`));
    });
  });
}

function secure(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host, port, servername: host, timeout: STEP_MS }, () => {
      const { subject, valid_to: until } = socket.getPeerCertificate();
      socket.destroy();
      resolve(`certificate of ${String(subject?.CN ?? host)}, valid until ${until}`);
    });
    socket.once('error', reject);
  });
}
