/** What a chain says of itself: the words of the server behind it, or what several have in common and besides. */

import type { Implementation } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { Introduction } from '../server/host.js';
import { withTasks } from './chain-tasks.js';
import type { ChainExtensions } from './extensions.js';
import { servedCapabilities } from './served.js';
import { declaresTasks } from './task-calls.js';
import type { Upstreams } from './upstreams.js';

export function introductionOf(
  upstreams: Upstreams,
  own: Implementation,
  instructions: string | undefined,
  replaceable: boolean,
  known: ChainExtensions,
): Introduction {
  const { only, members } = upstreams;
  if (only !== undefined) {
    const { known, capabilities } = only.upstream;
    const served = servedCapabilities(capabilities);
    return {
      info: known?.info ?? own,
      instructions: instructions ?? known?.instructions,
      capabilities: tasked(replaceable ? union(served, CHANGING) : served, upstreams),
    };
  }
  const declared = members.map(({ upstream }) => servedCapabilities(upstream.capabilities));
  const { extensions: _, ...united } = declared.reduce<ServerCapabilities>(union, {});
  const extensions = known.merge(declared);
  const all = extensions === undefined ? united : { ...united, extensions };
  const capabilities = replaceable ? union(all, CHANGING) : withChanges(all);
  const texts = members.flatMap(({ upstream }) => {
    const text = upstream.known?.instructions;
    return text === undefined ? [] : [`${upstream.name}: ${text}`];
  });
  const joined = texts.length === 0 ? undefined : texts.join('\n\n');
  return { info: own, instructions: instructions ?? joined, capabilities: tasked(capabilities, upstreams) };
}

/** Tasks are the chain's own, and offered where a server has some. */
function tasked(capabilities: ServerCapabilities, { members }: Upstreams): ServerCapabilities {
  const has = members.some(
    ({ upstream }) =>
      upstream.known !== undefined && declaresTasks(upstream.capabilities, upstream.known.tasks),
  );
  return has ? withTasks(capabilities) : capabilities;
}

/** Any server may come, with anything. */
const CHANGING: ServerCapabilities = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true },
};

/** A server that is away or late changes the lists of all, whatever the servers themselves announce. */
function withChanges(capabilities: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources } = capabilities;
  return {
    ...capabilities,
    ...(tools === undefined ? {} : { tools: { ...tools, listChanged: true } }),
    ...(prompts === undefined ? {} : { prompts: { ...prompts, listChanged: true } }),
    ...(resources === undefined ? {} : { resources: { ...resources, listChanged: true } }),
  };
}

/** What one of them can, the chain can. */
function union(one: ServerCapabilities, other: ServerCapabilities): ServerCapabilities {
  const both: ServerCapabilities = { ...one, ...other };
  if (one.tools !== undefined && other.tools !== undefined) both.tools = either(one.tools, other.tools);
  if (one.prompts !== undefined && other.prompts !== undefined)
    both.prompts = either(one.prompts, other.prompts);
  if (one.resources !== undefined && other.resources !== undefined)
    both.resources = either(one.resources, other.resources);
  if (one.experimental !== undefined && other.experimental !== undefined)
    both.experimental = { ...one.experimental, ...other.experimental };
  return both;
}

/** Flags that either has set. */
function either<T extends Readonly<Record<string, boolean | undefined>>>(one: T, other: T): T {
  const set = Object.entries(one).filter(([, value]) => value === true);
  return { ...one, ...other, ...Object.fromEntries(set) };
}
