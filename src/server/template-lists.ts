/** What resource templates list by themselves, page by page. Loaded where a template lists anything. */

import { invalidParams } from '../protocol/errors.js';
import type { Resource } from '../protocol/model/resources.js';
import type { CallContext } from './context.js';
import type { ListedResources, ResourceEntry } from './resources.js';

/** Where a page of the templates begins: in which of them, and with which cursor of its own. */
interface Place {
  readonly template: string;
  readonly cursor: string | undefined;
}

export interface TemplatePage {
  readonly resources: readonly Resource[];
  /** Where the next page begins. */
  readonly next: string | undefined;
}

/** The page that begins at this place, or the first one. */
export async function listTemplates(
  listing: readonly ResourceEntry[],
  begins: string | undefined,
  ctx: CallContext,
): Promise<TemplatePage> {
  const { template, cursor } =
    begins === undefined ? { template: listing[0]?.uri, cursor: undefined } : parsePlace(begins);
  const index = listing.findIndex(({ uri }) => uri === template);
  const entry = listing[index];
  if (entry === undefined) throw unknownCursor();
  const { resources, nextCursor } = await listedBy(entry, cursor, ctx);
  const following = nextCursor === undefined ? listing[index + 1] : entry;
  return {
    resources,
    next: following === undefined ? undefined : JSON.stringify([following.uri, nextCursor ?? null]),
  };
}

async function listedBy(
  { uri, lister: { list, mimeType } }: ResourceEntry,
  cursor: string | undefined,
  ctx: CallContext,
): Promise<{ readonly resources: readonly Resource[]; readonly nextCursor: string | undefined }> {
  const listed = (await list?.(cursor, ctx)) ?? [];
  const { resources, nextCursor } = isPage(listed) ? listed : { resources: listed, nextCursor: undefined };
  const described = resources.map((resource): Resource => {
    if (typeof resource.uri !== 'string')
      throw new TypeError(`The list of resource template "${uri}" has a resource without a uri`);
    const known = mimeType === undefined ? {} : { mimeType };
    return { ...known, ...resource, name: resource.name ?? resource.uri };
  });
  return { resources: described, nextCursor };
}

function isPage(listed: ListedResources): listed is Exclude<ListedResources, readonly unknown[]> {
  return !Array.isArray(listed);
}

function parsePlace(text: string): Place {
  try {
    const [template, inner]: unknown[] = JSON.parse(text);
    if (typeof template === 'string' && (inner === null || typeof inner === 'string'))
      return { template, cursor: inner ?? undefined };
  } catch {
    // Not one of ours.
  }
  throw unknownCursor();
}

function unknownCursor(): Error {
  return invalidParams('Unknown cursor; list again without one');
}
