// Written by plumb gen; changes are lost when it is written again.

import type { Caller } from './client.ts';
import { forecast, type ForecastInput } from './tools/forecast.ts';
import { packingPrompt, type PackingPromptArguments } from './prompts.ts';

export * from './client.ts';
export * from './tools/forecast.ts';
export * from './prompts.ts';
export * from './resources.ts';

/** weather 1.0.0 */
export function createClient(client: Caller) {
  return {
    tools: {
      forecast: (args: ForecastInput) => forecast(client, args),
    },
    prompts: {
      packingPrompt: (args: PackingPromptArguments) => packingPrompt(client, args),
    },
  };
}
