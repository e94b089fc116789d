/** What a server says of itself, from its options and from what is registered. */

import type { Implementation } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { ServerOptions } from './options.js';
import type { Catalogue } from './routes.js';

export function implementationOf(options: Omit<ServerOptions, 'state'>): Implementation {
  const { name, version, title, description, websiteUrl, icons } = options;
  const info: Implementation = { name, version };
  if (title !== undefined) info.title = title;
  if (description !== undefined) info.description = description;
  if (websiteUrl !== undefined) info.websiteUrl = websiteUrl;
  if (icons !== undefined) info.icons = icons;
  return info;
}

export function deriveCapabilities(
  { tools, resources, templates, prompts }: Catalogue,
  options: Pick<ServerOptions, 'capabilities' | 'logging'>,
  extensions: ServerCapabilities['extensions'],
): ServerCapabilities {
  const added = options.capabilities ?? {};
  const capabilities: ServerCapabilities = { ...added };
  if (options.logging !== false) capabilities.logging = {};
  // Once declared, a capability is kept: a client that was notified of a change must be able to fetch the
  // empty list.
  if (tools.version > 0 || added.tools !== undefined)
    capabilities.tools = { listChanged: true, ...added.tools };
  if (prompts.version > 0 || added.prompts !== undefined)
    capabilities.prompts = { listChanged: true, ...added.prompts };
  if (resources.version + templates.version > 0 || added.resources !== undefined) {
    capabilities.resources = { subscribe: true, listChanged: true, ...added.resources };
  }
  const completing = [...prompts.entries(), ...templates.entries()].some(
    (entry) => Object.keys(entry.complete).length > 0,
  );
  if (completing) capabilities.completions = {};
  if (extensions !== undefined) capabilities.extensions = { ...added.extensions, ...extensions };
  return capabilities;
}
