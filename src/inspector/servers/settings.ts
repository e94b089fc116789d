/** Settings of servers as pages see them and send them back: without what stays in the process. */

import type { InspectedServerSettings } from '../api.js';
import { KEPT } from './target.js';

export function shownSettings(settings: InspectedServerSettings): InspectedServerSettings {
  const { oauth } = settings;
  if (oauth?.clientSecret === undefined) return settings;
  return { ...settings, oauth: { ...oauth, clientSecret: KEPT } };
}

/** What a page sent, with the secret that it did not see. */
export function withSecret(
  edited: InspectedServerSettings,
  before: InspectedServerSettings,
): InspectedServerSettings {
  const { oauth } = edited;
  if (oauth?.clientSecret !== KEPT) return edited;
  const { clientSecret: _, ...rest } = oauth;
  const secret = before.oauth?.clientSecret;
  return { ...edited, oauth: { ...rest, ...(secret === undefined ? {} : { clientSecret: secret }) } };
}
