/** What a server has, all lists at once; one that cannot be had does not hide the others. */

import type { CallOptions, Client } from '../../client/index.js';
import type { InspectedCatalogue, ListedArea } from '../api.js';
import { failureOf } from '../failure.js';
import { inspectedSkills } from './skills.js';

const LIST_TIMEOUT_MS = 30_000;

export async function catalogueOf(client: Client, reload: boolean): Promise<InspectedCatalogue> {
  const options: CallOptions = { timeout: LIST_TIMEOUT_MS, ...(reload ? { cache: 'reload' } : {}) };
  const { tools, resources, prompts } = client.capabilities;
  const [toolList, resourceList, templateList, promptList, skillList] = await Promise.all([
    listed(tools, () => client.tools.list(options)),
    listed(resources, () => client.resources.list(options)),
    listed(resources, () => client.resources.templates().list(options)),
    listed(prompts, () => client.prompts.list(options)),
    listed(client.skills.isDeclared || undefined, () => inspectedSkills(client, options)),
  ]);
  return {
    tools: toolList,
    resources: resourceList,
    templates: templateList,
    prompts: promptList,
    skills: skillList,
  };
}

async function listed<T>(capability: unknown, list: () => Promise<readonly T[]>): Promise<ListedArea<T>> {
  if (capability === undefined) return { items: [], declared: false };
  try {
    return { items: await list(), declared: true };
  } catch (error) {
    return { items: [], declared: true, failure: failureOf(error) };
  }
}
