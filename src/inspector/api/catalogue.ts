/** What a server has. */

import type { Prompt } from '../../protocol/model/prompts.js';
import type { Resource, ResourceTemplate } from '../../protocol/model/resources.js';
import type { Tool } from '../../protocol/model/tools.js';
import type { Failure } from './servers.js';
import type { InspectedSkill } from './skills.js';

/** A list, and why it could not be had. An area that the server does not declare is empty, without a failure. */
export interface ListedArea<T> {
  readonly items: readonly T[];
  readonly declared: boolean;
  readonly failure?: Failure;
}

export interface InspectedCatalogue {
  readonly tools: ListedArea<Tool>;
  readonly resources: ListedArea<Resource>;
  readonly templates: ListedArea<ResourceTemplate>;
  readonly prompts: ListedArea<Prompt>;
  readonly skills: ListedArea<InspectedSkill>;
}

export type CatalogueArea = keyof InspectedCatalogue;
