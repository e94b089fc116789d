/** Takes things out of the lists, and out of reach. */

import { decodedReadingsOf, spellingsOf } from './canonical.js';
import type { ItemRule } from './layer.js';
import { createGlob } from './subject.js';

/** `{ tools: hide('delete_*') }` */
export function hide(...patterns: readonly string[]): ItemRule {
  const hidden = createGlob(patterns.flatMap(spellingsOf));
  const isHidden = (named: unknown): boolean => typeof named === 'string' && hidden(named);
  const isHiddenUri = (uri: unknown): boolean =>
    typeof uri === 'string' && decodedReadingsOf(uri).some((reading) => hidden(reading));
  return {
    show: (item) =>
      isHidden(item.name) || isHiddenUri(item.uri) || isHidden(item.uriTemplate) ? undefined : item,
    open: (params) => (isHidden(params.name) || isHiddenUri(params.uri) ? undefined : params),
  };
}
