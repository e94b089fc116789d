import { McpError } from '../../protocol/errors.js';
import type { GetPromptResult, Prompt } from '../../protocol/model/prompts.js';
import type { Core } from '../core.js';
import type { CallOptions } from '../options.js';
import { PaginatedList } from './paginated.js';
import { PROMPT_LIST, readPromptResult } from './results.js';

/** The server's prompts. Iterate over it for the prompts themselves. */
export class Prompts extends PaginatedList<Prompt> {
  readonly #core: Core;

  constructor(core: Core) {
    super(core, 'prompts', PROMPT_LIST);
    this.#core = core;
  }

  async get(
    name: string,
    args: { readonly [name: string]: string } = {},
    options: CallOptions = {},
  ): Promise<GetPromptResult> {
    for (const [argument, value] of Object.entries(args)) {
      if (typeof value === 'string') continue;
      throw new McpError(
        'invalid_argument',
        `The prompt argument "${argument}" must be a string; convert it first`,
      );
    }
    const params = { name, arguments: args };
    return this.#core.call('prompts', { method: 'prompts/get', params, options, read: readPromptResult });
  }
}
