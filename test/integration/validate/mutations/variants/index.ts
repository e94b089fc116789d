/** More ways to break each rule, written from the text of the specification. */

import type { Mutation } from '../harness.js';
import { ASKING_VARIANTS } from './asking.js';
import { TEXT_VARIANTS } from './by-the-text.js';
import { TEXT_HTTP_VARIANTS } from './by-the-text-http.js';
import { EXTENSION_VARIANTS } from './extensions.js';
import { FEATURE_VARIANTS } from './features.js';
import { FRAMING_VARIANTS } from './framing.js';
import { HTTP_STATELESS_VARIANTS } from './http-stateless.js';
import { LIFECYCLE_VARIANTS } from './lifecycle.js';
import { MESSAGE_VARIANTS } from './messages.js';
import { HTTP_VARIANTS } from './over-http.js';
import { PROTECTED_VARIANTS } from './protected.js';
import { RESOURCE_VARIANTS } from './resources.js';
import { RUNNING_VARIANTS } from './running.js';
import { SECOND_READING } from './second-reading.js';
import { SECOND_READING_HTTP } from './second-reading-http.js';
import { SECOND_READING_STATELESS } from './second-reading-stateless.js';
import { SUBSCRIPTION_VARIANTS } from './subscriptions.js';

export const VARIANTS: readonly Mutation[] = [
  ...MESSAGE_VARIANTS,
  ...FRAMING_VARIANTS,
  ...LIFECYCLE_VARIANTS,
  ...RUNNING_VARIANTS,
  ...FEATURE_VARIANTS,
  ...RESOURCE_VARIANTS,
  ...ASKING_VARIANTS,
  ...SUBSCRIPTION_VARIANTS,
  ...HTTP_VARIANTS,
  ...HTTP_STATELESS_VARIANTS,
  ...PROTECTED_VARIANTS,
  ...TEXT_VARIANTS,
  ...TEXT_HTTP_VARIANTS,
  ...SECOND_READING,
  ...SECOND_READING_HTTP,
  ...SECOND_READING_STATELESS,
  ...EXTENSION_VARIANTS,
];
