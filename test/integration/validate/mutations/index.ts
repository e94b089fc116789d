/** Every way in which the reference server is broken. */

import { ASKING } from './asking.js';
import { BASE } from './base.js';
import { CACHING } from './caching.js';
import type { Mutation } from './harness.js';
import { LIFECYCLE } from './lifecycle.js';
import { OVER_HTTP } from './over-http.js';
import { PROTECTED } from './protected.js';
import { RESOURCES } from './resources.js';
import { TASKS } from './tasks.js';
import { TOOLS } from './tools.js';
import { VARIANTS } from './variants/index.js';

export const SERVER_MUTATIONS: readonly Mutation[] = [
  ...BASE,
  ...LIFECYCLE,
  ...TOOLS,
  ...RESOURCES,
  ...CACHING,
  ...TASKS,
  ...PROTECTED,
  ...ASKING,
  ...OVER_HTTP,
  ...VARIANTS,
];
