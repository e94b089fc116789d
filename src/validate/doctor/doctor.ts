/** Why does it not work? Connects one step at a time, and stops at the first that fails. */

import { lookup } from 'node:dns/promises';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { assertOptionNames } from '../../protocol/option-names.js';
import type { Target } from '../../transports/target.js';
import { type SseTarget, type ValidationTarget, validationTarget } from '../target.js';
import { diagnoseCommand } from './command.js';
import { diagnoseHttp } from './http.js';
import { diagnoseLists } from './lists.js';
import { diagnoseRevisions } from './revisions.js';
import { DIAGNOSE_OPTIONS, type DiagnoseOptions, STEP_MS, type Step } from './step.js';

/** Connects to a server one step at a time, and stops at the first step that fails: `diagnose('https://example.com/mcp')`. */
export async function diagnose(
  server: Target | SseTarget | ValidationTarget,
  options: DiagnoseOptions = {},
): Promise<readonly Step[]> {
  assertOptionNames('diagnose', options, DIAGNOSE_OPTIONS);
  const target = validationTarget(server);
  const first =
    target.kind === 'stdio'
      ? await diagnoseCommand(target, options)
      : { steps: await diagnoseUrl(target), answerMs: STEP_MS };
  if (first.steps.some(({ ok }) => !ok)) return first.steps;
  const { steps, spoken } = await diagnoseRevisions(target, first.answerMs);
  const newest = spoken.at(-1);
  const lists = newest === undefined ? [] : await diagnoseLists(target, newest, first.answerMs);
  return [...first.steps, ...steps, ...lists];
}

type UrlTarget = Exclude<ValidationTarget, { kind: 'stdio' }>;

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
