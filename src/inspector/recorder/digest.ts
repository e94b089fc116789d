/** A key that is no longer than it has to be, for texts of peers that may be megabytes long. */

import { createHash } from 'node:crypto';

const MAX_KEY = 200;

export function digest(text: string): string {
  return text.length <= MAX_KEY ? text : createHash('sha256').update(text).digest('base64');
}
