/** Takes things out of the lists, and out of reach. */

import type { ItemRule } from './layer.js';
import { createGlob } from './subject.js';

/** `{ tools: hide('delete_*') }` */
export function hide(...patterns: readonly string[]): ItemRule {
  const hidden = createGlob(patterns);
  const isHidden = (named: unknown): boolean => typeof named === 'string' && hidden(named);
  return {
    show: (item) =>
      isHidden(item.name) || isHidden(item.uri) || isHidden(item.uriTemplate) ? undefined : item,
    open: (params) => (isHidden(params.name) || isHidden(params.uri) ? undefined : params),
  };
}
