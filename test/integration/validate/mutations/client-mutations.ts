/** Every way in which the reference client is broken. */

import { ANSWERS } from './client-answers.js';
import { CLIENT_TEXT_MUTATIONS } from './client-by-the-text.js';
import { CLIENT_TEXT_HTTP_MUTATIONS } from './client-by-the-text-http.js';
import type { ClientMutation } from './client-harness.js';
import { LATER_CLIENT_MUTATIONS } from './client-later.js';
import { MESSAGES } from './client-messages.js';
import { TRANSPORT } from './client-transport.js';
import { CLIENT_VARIANTS } from './client-variants.js';

export const CLIENT_MUTATIONS: readonly ClientMutation[] = [
  ...MESSAGES,
  ...ANSWERS,
  ...TRANSPORT,
  ...LATER_CLIENT_MUTATIONS,
  ...CLIENT_VARIANTS,
  ...CLIENT_TEXT_MUTATIONS,
  ...CLIENT_TEXT_HTTP_MUTATIONS,
];
