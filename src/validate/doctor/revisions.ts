/** Which era the server belongs to, and which versions it speaks. */

import { REVISIONS, type Revision } from '../../protocol/index.js';
import { spokenRevisions } from '../runner.js';
import { openSession } from '../session/open.js';
import { outcomeOf } from '../session/reply.js';
import type { Target } from '../target.js';
import { Recorder } from '../wire/recorder.js';
import { STEP_MS, type Step } from './step.js';

export async function diagnoseRevisions(target: Target): Promise<readonly Step[]> {
  try {
    const spoken = await spokenRevisions(target, REVISIONS, STEP_MS);
    if (spoken.length === 0) return [await diagnoseOffer(target)];
    const versions = spoken.map(({ version }) => version).join(', ');
    return [
      { name: 'era', ok: true, detail: eras(spoken) },
      { name: 'version', ok: true, detail: `it speaks ${versions}` },
    ];
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ name: 'version', ok: false, detail, fix: 'See plumb validate for every exchange.' }];
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
async function diagnoseOffer(target: Target): Promise<Step> {
  const revision = REVISIONS.findLast(({ lifecycle }) => lifecycle === 'handshake') ?? REVISIONS[0];
  const fix = 'Update the server, or use a client of its version.';
  const failed = { name: 'version', ok: false, fix } as const;
  if (revision === undefined) return { ...failed, detail: 'no version is known here' };
  const recorder = new Recorder();
  const { session, greeting } = await openSession(
    { target, recorder, revision, timeoutMs: STEP_MS },
    { standalone: false },
  );
  await session.close();
  const offered = greeting?.kind === 'result' ? greeting.result.protocolVersion : undefined;
  if (typeof offered === 'string')
    return { ...failed, detail: `it speaks ${offered}, which nobody else does` };
  const answer = greeting === undefined ? 'no answer' : outcomeOf(greeting);
  return { ...failed, detail: `initialize is answered with ${answer}, and server/discover too` };
}
