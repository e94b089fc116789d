/** A server that is a command: does it start, does it keep stdout clean, does it answer, and how soon? */

import { isRecord } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { REVISIONS } from '../../protocol/revisions/index.js';
import { firstAnswer, type StartPatience, startPatience } from '../first-contact.js';
import { type Opened, openSession } from '../session/open.js';
import { outcomeOf, type WireReply } from '../session/reply.js';
import type { ValidatorSession } from '../session/session.js';
import type { ValidationTarget } from '../target.js';
import { FLOODED, LineConnection, type OpenPipe, openLineConnection } from '../wire/line-pipe.js';
import { Recorder } from '../wire/recorder.js';
import { withStderr } from './stderr.js';
import { type DiagnoseOptions, STEP_MS, type Step } from './step.js';

export interface CommandDiagnosis {
  readonly steps: readonly Step[];
  /** How long later steps wait for an answer: each of them starts the command anew. */
  readonly answerMs: number;
}

type CommandTarget = Extract<ValidationTarget, { kind: 'stdio' }>;

/** Most servers answer before this. */
const NOTICE_MS = 3_000;
const MAX_KEPT_LINES = 1_000;

export async function diagnoseCommand(
  target: CommandTarget,
  { connectTimeout, onWaiting = () => {}, waited: waitedBefore }: DiagnoseOptions,
): Promise<CommandDiagnosis> {
  const patience = startPatience(target, inMilliseconds(connectTimeout));
  const waitedMs = inMilliseconds(waitedBefore);
  const limitMs = waitedMs === undefined ? patience.limitMs : Math.min(patience.limitMs, AGAIN_MS);
  const started = performance.now();
  const notice = `the server is still starting; waiting up to ${inWords(patience)} (--connect-timeout)`;
  const { watched, stop } = watch(target, notice, onWaiting);
  const recorder = new Recorder();
  const revision = REVISIONS.findLast(({ lifecycle }) => lifecycle === 'handshake');
  if (revision === undefined) return { steps: [], answerMs: STEP_MS };
  let opened: Opened;
  let greeting: WireReply | undefined;
  try {
    opened = await openSession(
      { target: watched, recorder, revision, timeoutMs: limitMs },
      { handshake: 'none' },
    );
    greeting = await firstAnswer(opened.session, recorder, patience.silentMs);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const fix = 'Check the command, its path and its permissions.';
    return { steps: [{ name: 'start', ok: false, detail, fix }], answerMs: STEP_MS };
  } finally {
    stop();
  }
  const { session } = opened;
  try {
    const waited = waitedMs ?? Math.min(performance.now() - started, patience.limitMs);
    const leftMs = (): number => Math.max(0, started + limitMs + AFTERWARDS_MS - performance.now());
    const answer = greeting?.kind === 'result' ? greeting : await secondChance(session, greeting, leftMs());
    const startMs = greeting?.elapsedMs ?? 0;
    // An error for another method, where initialize is ignored, is no beginning of anything.
    const speaks = answer?.kind === 'result' || greeting?.kind === 'error';
    const framed = speaks ? undefined : await framing(target, recorder, leftMs());
    const ended = session.connection.epitaph;
    const noise = recorder.entries.find(({ kind, text }) => kind === 'noise' && text !== '')?.text;
    const stray = speaks ? undefined : strayAnswer(recorder);
    const steps = [startStep(ended)];
    if (framed !== undefined) steps.push(framed);
    else if (noise !== undefined) steps.push(noiseStep(noise, speaks));
    if (stray !== undefined) steps.push(stray);
    if (ended === '' && framed === undefined && stray === undefined)
      steps.push(
        speaks && answer !== undefined
          ? answerStep(greeting ?? answer, startMs)
          : silenceStep(waited, patience, { noise, connection: session.connection }),
      );
    return { steps: withStderr(steps, session.connection), answerMs: Math.max(STEP_MS, 2 * startMs) };
  } finally {
    await session.close();
  }
}

function inMilliseconds(duration: Duration | undefined): number | undefined {
  return duration === undefined ? undefined : milliseconds(duration);
}

/** Passes what the command writes to stderr on from the moment that waiting for it takes long. */
function watch(
  target: CommandTarget,
  notice: string,
  onWaiting: (line: string) => void,
): { watched: CommandTarget; stop: () => void } {
  let kept: string[] | undefined = [];
  const timer = setTimeout(() => {
    for (const line of [notice, ...(kept ?? [])]) onWaiting(line);
    kept = undefined;
  }, NOTICE_MS);
  const open: OpenPipe = (events) =>
    target.open({
      ...events,
      stderr: (line) => {
        events.stderr(line);
        if (kept === undefined) onWaiting(line);
        else if (kept.length < MAX_KEPT_LINES) kept.push(line);
      },
    });
  const stop = (): void => {
    clearTimeout(timer);
    kept = [];
  };
  return { watched: { ...target, open }, stop };
}

/** A server of the stateless era alone refuses the handshake, or overlooks it, and is in order. */
async function secondChance(
  session: ValidatorSession,
  greeting: WireReply | undefined,
  leftMs: number,
): Promise<WireReply | undefined> {
  if (session.connection.ended || greeting?.kind === 'error' || leftMs === 0) return greeting;
  return session.request('server/discover', {}, { timeoutMs: Math.min(AGAIN_MS, leftMs) });
}

/** A server that was waited for once shows at once what is wrong with it. */
const AGAIN_MS = 2_000;
const FRAMED_MS = 1_500;
/** For everything after the wait for a first answer: also on a busy machine a diagnosis ends. */
const AFTERWARDS_MS = 8_000;

/** Messages with headers, as other protocols have them: written by the server, or wanted by it. */
async function framing(target: CommandTarget, recorder: Recorder, leftMs: number): Promise<Step | undefined> {
  const framed = isFramed(recorder) || (leftMs > 0 && (await answersFramed(target, leftMs)));
  if (!framed) return undefined;
  return {
    name: 'stdout',
    ok: false,
    detail:
      'the server frames its messages with Content-Length headers, as the Language Server Protocol does',
    fix: 'MCP over stdio has no headers: write each message as JSON on one line, and read line by line.',
  };
}

function isFramed({ entries }: Recorder): boolean {
  return entries.some(({ direction, text }) => direction === 'received' && /^content-length:/i.test(text));
}

/** Asked in a process of its own, because a line has already confused the other one. */
async function answersFramed(target: CommandTarget, leftMs: number): Promise<boolean> {
  const recorder = new Recorder();
  const connection = await openLineConnection(recorder, target.open);
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'framed', method: 'ping' });
    await connection.sendBytes(Buffer.from(`Content-Length: ${body.length}\r\n\r\n${body}`), body);
    const deadline = performance.now() + Math.min(FRAMED_MS, leftMs);
    while (!isFramed(recorder) && !connection.ended && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return isFramed(recorder);
  } finally {
    await connection.close();
  }
}

/** A response that came, and answers nothing that was asked. */
function strayAnswer(recorder: Recorder): Step | undefined {
  const sent = recorder.entries.find(({ direction, value }) => direction === 'sent' && isRecord(value));
  const stray = recorder.entries.find(
    ({ direction, value }) =>
      direction === 'received' &&
      isRecord(value) &&
      !('method' in value) &&
      ('result' in value || 'error' in value),
  );
  if (stray === undefined || !isRecord(stray.value) || !isRecord(sent?.value)) return undefined;
  return {
    name: 'answer',
    ok: false,
    detail: `a response came with id ${JSON.stringify(stray.value.id)}, but the request had id ${JSON.stringify(sent.value.id)}`,
    fix: 'Copy the id of the request into its response, with its type: clients find their request by it.',
  };
}

function startStep(ended: string): Step {
  if (ended === FLOODED)
    return {
      name: 'start',
      ok: false,
      detail: `${ended}, and was stopped`,
      fix: 'Write nothing but answers to stdout: look for a loop that prints, and send logs to stderr.',
    };
  if (ended === '') return { name: 'start', ok: true, detail: 'the process runs' };
  return {
    name: 'start',
    ok: false,
    detail: `${ended} before it answered`,
    fix: 'The process exited. Check its stderr, below, for the reason.',
  };
}

function noiseStep(noise: string, speaks: boolean): Step {
  const shown = JSON.stringify(noise.slice(0, 200));
  const fix = 'Write logs and banners to stderr; console.log goes to stdout, console.error to stderr.';
  if (speaks)
    return {
      name: 'stdout',
      ok: true,
      warning: true,
      detail: `stdout carries text that is not a message, which strict clients refuse: ${shown}`,
      fix,
    };
  return { name: 'stdout', ok: false, detail: `stdout carries text that is not a message: ${shown}`, fix };
}

function answerStep(answer: WireReply, startMs: number): Step {
  const detail = `initialize was answered with ${outcomeOf(answer)} after ${seconds(startMs)}`;
  if (startMs <= STEP_MS) return { name: 'answer', ok: true, detail };
  return {
    name: 'answer',
    ok: true,
    warning: true,
    detail: `${detail}: the server is slow to start`,
    fix: 'Clients that wait less give up: raise their limit (plumb: --connect-timeout), or install the package instead of npx -y.',
  };
}

function inWords({ limitMs, silentMs }: StartPatience): string {
  return silentMs < limitMs
    ? `${seconds(silentMs)}, or ${seconds(limitMs)} while it prints`
    : seconds(limitMs);
}

/** More on stderr than any start needs. */
const MUCH_PRINTED = 1024 * 1024;

interface Heard {
  readonly noise: string | undefined;
  readonly connection: ValidatorSession['connection'];
}

function silenceStep(waitedMs: number, { limitMs, silentMs }: StartPatience, heard: Heard): Step {
  const { noise, connection } = heard;
  const waited = `no answer within ${seconds(waitedMs)}, though the process runs`;
  const printed = connection instanceof LineConnection ? connection.printed : 0;
  if (printed > MUCH_PRINTED)
    return {
      name: 'answer',
      ok: false,
      detail: `${waited} and wrote ${Math.round(printed / MUCH_PRINTED)} MB to stderr meanwhile`,
      fix: 'Look for a loop that logs: it keeps the server from reading its stdin.',
    };
  const longer = silentMs < limitMs ? ` A command that prints meanwhile is given ${seconds(limitMs)}.` : '';
  return {
    name: 'answer',
    ok: false,
    detail: noise === undefined ? `${waited} and wrote nothing to stdout` : waited,
    fix: `If it is still starting (see its stderr), allow more with --connect-timeout 60s.${longer} Otherwise it does not speak MCP on stdin and stdout: many servers need a flag such as --stdio.`,
  };
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 9_950 ? 1 : 0)} s`;
}
