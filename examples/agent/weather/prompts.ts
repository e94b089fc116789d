// Written by plumb gen; changes are lost when it is written again.

import { type Caller, getPrompt, type PromptResult } from './client.ts';

export type PackingPromptArguments = {
  "city": string;
};

/** What to pack */
export function packingPrompt(client: Caller, args: PackingPromptArguments): Promise<PromptResult> {
  return getPrompt(client, "packing", args);
}
