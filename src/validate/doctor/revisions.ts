/** Which era the server belongs to, and which versions it speaks. */

import { REVISIONS } from '../../protocol/revisions/index.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { openSession } from '../session/open.js';
import { outcomeOf } from '../session/reply.js';
import { spokenRevisions } from '../survey.js';
import type { ValidationTarget } from '../target.js';
import { Recorder } from '../wire/recorder.js';
import type { Step } from './step.js';

export async function diagnoseRevisions(
  target: ValidationTarget,
  timeoutMs: number,
): Promise<{ readonly steps: readonly Step[]; readonly spoken: readonly Revision[] }> {
  try {
    const spoken = await spokenRevisions(target, REVISIONS, timeoutMs);
    if (spoken.length === 0) return { steps: [await diagnoseOffer(target, timeoutMs)], spoken };
    const versions = spoken.map(({ version }) => version).join(', ');
    const steps = [
      { name: 'era', ok: true, detail: eras(spoken) },
      { name: 'version', ok: true, detail: `it speaks ${versions}` },
    ];
    return { steps, spoken };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const fix = 'See plumb validate for every exchange.';
    return { steps: [{ name: 'version', ok: false, detail, fix }], spoken: [] };
  }
}

function eras(spoken: readonly Revision[]): string {
  const handshake = spoken.some(({ lifecycle }) => lifecycle === 'handshake');
  const stateless = spoken.some(({ lifecycle }) => lifecycle === 'stateless');
  if (handshake && stateless) return 'it serves clients with and without a handshake';
  return handshake
    ? 'it serves clients that begin with initialize; clients that only speak the stateless era cannot use it'
    : 'it serves clients of the stateless era; clients that begin with initialize cannot use it';
}

/** It answers, and in no version that we know: what does it offer? */
async function diagnoseOffer(target: ValidationTarget, timeoutMs: number): Promise<Step> {
  const revision = REVISIONS.findLast(({ lifecycle }) => lifecycle === 'handshake') ?? REVISIONS[0];
  const fix = 'Update the server, or use a client of its version.';
  const failed = { name: 'version', ok: false, fix } as const;
  if (revision === undefined) return { ...failed, detail: 'no version is known here' };
  const recorder = new Recorder();
  const { session, greeting } = await openSession(
    { target, recorder, revision, timeoutMs },
    { standalone: false },
  );
  await session.close();
  const offered = greeting?.kind === 'result' ? greeting.result.protocolVersion : undefined;
  if (typeof offered === 'string')
    return { ...failed, detail: `it speaks ${offered}, which is not a known revision` };
  const answer = greeting === undefined ? 'no answer' : outcomeOf(greeting);
  return { ...failed, detail: `initialize is answered with ${answer}, and server/discover too` };
}
