/** Whether a server completes arguments, where its revision has no capability that says so. */

import type { Relay } from '../client/relay.js';
import { ProtocolError } from '../protocol/errors.js';

/** A server that does not even refuse an unknown method in this time is not asked to complete either. */
const ANSWER_MS = 2_000;

/** Only asking tells: a server that refuses the method does not complete, and one that refuses the question does. */
export async function completesUndeclared({ client, revision, isDeclared }: Relay): Promise<boolean> {
  const { prompts, resources } = client.capabilities;
  if (!isDeclared || revision.reads.serverCapabilities.includes('completions')) return false;
  if (prompts === undefined && resources === undefined) return false;
  try {
    await client.request(
      'completion/complete',
      { ref: { type: 'ref/prompt', name: '' }, argument: { name: '', value: '' } },
      { timeout: ANSWER_MS },
    );
    return true;
  } catch (error) {
    return error instanceof ProtocolError && error.code !== 'method_not_found';
  }
}
