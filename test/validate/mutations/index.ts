/** Every way in which the reference server is broken. */

import { ASKING } from './asking.js';
import { BASE } from './base.js';
import { FEATURES } from './features.js';
import type { Mutation } from './harness.js';
import { LIFECYCLE } from './lifecycle.js';
import { OVER_HTTP } from './over-http.js';

export const SERVER_MUTATIONS: readonly Mutation[] = [
  ...BASE,
  ...LIFECYCLE,
  ...FEATURES,
  ...ASKING,
  ...OVER_HTTP,
];
