/** Why does it not work? Connects one step at a time, and stops at the first that fails. */

import { lookup } from 'node:dns/promises';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { REVISIONS } from '../../protocol/index.js';
import { spokenRevisions } from '../runner.js';
import { openSession } from '../session/open.js';
import { outcomeOf } from '../session/reply.js';
import type { HttpTarget, Target } from '../target.js';
import { HttpConnection, JSON_TYPE, SSE_TYPE } from '../wire/http-connection.js';
import { Recorder } from '../wire/recorder.js';

export interface Step {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do, when it is not. */
  readonly fix?: string;
}

const STEP_MS = 5_000;

export async function diagnose(target: Target): Promise<readonly Step[]> {
  const steps = target.kind === 'stdio' ? await diagnoseCommand(target) : await diagnoseUrl(target);
  if (steps.some(({ ok }) => !ok)) return steps;
  return [...steps, await diagnoseRevisions(target)];
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
            fix: 'Run the command by hand and read what it says on stderr.',
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
        'The certificate is not accepted: check its name, its dates and its issuer.',
      )));
  if (reached) steps.push(...(await ask({ ...target, kind: 'http' })));
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

/** One POST of a handshake: most servers answer it, and what the others answer tells why. */
async function ask(target: HttpTarget): Promise<readonly Step[]> {
  const connection = new HttpConnection(new Recorder(), { ...target, timeoutMs: STEP_MS });
  const version = REVISIONS.at(-2)?.version ?? '';
  const params = {
    protocolVersion: version,
    capabilities: {},
    clientInfo: { name: 'plumb-doctor', version: '1' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const headers = { accept: `${JSON_TYPE}, ${SSE_TYPE}`, 'content-type': JSON_TYPE };
  try {
    const delivery = await connection.fetch({ method: 'POST', headers, body });
    return [httpStep(delivery.status, delivery.contentType, delivery.headers)];
  } catch (error) {
    return [
      {
        name: 'http',
        ok: false,
        detail: error instanceof Error ? error.message : String(error),
        fix: 'The server accepts connections and does not speak HTTP in time.',
      },
    ];
  } finally {
    await connection.close();
  }
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'Log in (plumb login URL), or send a token with --header "Authorization: Bearer ...".',
  403: 'The server refuses this client: check the token and its scopes, and whether it allows this Host.',
  404: 'There is no endpoint at this path: most servers use /mcp, old ones /sse.',
  405: 'The path takes no POST: it may be the old transport; try --sse, or the path /mcp.',
  406: 'The server refuses our Accept header: it may be no MCP endpoint.',
  415: 'The server refuses JSON: it may be no MCP endpoint.',
  429: 'Too many requests: wait, and try again.',
};

function httpStep(status: number, contentType: string, headers: Readonly<Record<string, string>>): Step {
  const detail = `HTTP ${status} ${contentType}`;
  // 400 with JSON is how a server of the stateless era alone refuses a handshake.
  if (status < 300 || (status === 400 && contentType === JSON_TYPE)) {
    if (contentType === 'text/html')
      return {
        name: 'http',
        ok: false,
        detail,
        fix: 'This is a web page, not an MCP endpoint: check the path.',
      };
    return { name: 'http', ok: true, detail };
  }
  if (status >= 300 && status < 400)
    return {
      name: 'http',
      ok: false,
      detail: `${detail} to ${headers.location ?? '?'}`,
      fix: 'Use the address that the server redirects to.',
    };
  const fix = ADVICE[status] ?? (status >= 500 ? 'The server failed: see its own log.' : 'Check the URL.');
  return { name: 'http', ok: false, detail, fix };
}

async function diagnoseRevisions(target: Target): Promise<Step> {
  try {
    const spoken = await spokenRevisions(target, REVISIONS, STEP_MS);
    if (spoken.length > 0)
      return {
        name: 'revisions',
        ok: true,
        detail: `it speaks ${spoken.map(({ version }) => version).join(', ')}`,
      };
    return {
      name: 'revisions',
      ok: false,
      detail: 'it speaks no known revision of the protocol',
      fix: 'Update the server, or the client.',
    };
  } catch (error) {
    return {
      name: 'revisions',
      ok: false,
      detail: error instanceof Error ? error.message : String(error),
      fix: 'See plumb validate.',
    };
  }
}
