/** Every requirement of every revision, in the order of their ids. */

import { authorizationClientRequirements } from './authorization-client.js';
import { authorizationServerRequirements } from './authorization-server.js';
import { baseRequirements } from './base.js';
import { cachingRequirements } from './caching.js';
import { elicitationRequirements } from './elicitation.js';
import { erasRequirements } from './eras.js';
import { extensionsRequirements } from './extensions.js';
import { handshakeRequirements } from './handshake.js';
import { httpHandshakeRequirements } from './http-handshake.js';
import { httpStatelessRequirements } from './http-stateless.js';
import { inputRequiredRequirements } from './input-required.js';
import { mirroredHeadersRequirements } from './mirrored-headers.js';
import { optionRequirements } from './options.js';
import { promptsRequirements } from './prompts.js';
import type { Requirement } from './requirement.js';
import { resourcesRequirements } from './resources.js';
import { runningRequirements } from './running.js';
import { samplingRequirements } from './sampling.js';
import { schemaRequirements } from './schema.js';
import { securityRequirements } from './security.js';
import { statelessRequirements } from './stateless.js';
import { stdioRequirements } from './stdio.js';
import { subscriptionsRequirements } from './subscriptions.js';
import { tasksRequirements } from './tasks.js';
import { tasksExtensionRequirements } from './tasks-extension.js';
import { toolsRequirements } from './tools.js';
import { utilitiesRequirements } from './utilities.js';

const ALL: readonly Requirement[] = [
  ...baseRequirements,
  ...stdioRequirements,
  ...handshakeRequirements,
  ...statelessRequirements,
  ...runningRequirements,
  ...toolsRequirements,
  ...resourcesRequirements,
  ...promptsRequirements,
  ...utilitiesRequirements,
  ...samplingRequirements,
  ...elicitationRequirements,
  ...httpHandshakeRequirements,
  ...httpStatelessRequirements,
  ...mirroredHeadersRequirements,
  ...inputRequiredRequirements,
  ...subscriptionsRequirements,
  ...cachingRequirements,
  ...tasksRequirements,
  ...tasksExtensionRequirements,
  ...authorizationServerRequirements,
  ...authorizationClientRequirements,
  ...securityRequirements,
  ...extensionsRequirements,
  ...erasRequirements,
  ...schemaRequirements,
  ...optionRequirements,
];

/** In the order of their ids, which is not always that of their sections. */
export const REQUIREMENTS: readonly Requirement[] = ALL.toSorted((a, b) => a.id.localeCompare(b.id));

/** The requirement that a crash breaks, whatever caused it. */
export const CRASH_ID = '407';

const BY_ID = new Map(REQUIREMENTS.map((requirement) => [requirement.id, requirement]));

/** Throws on an unknown id: a check that names one can never report. */
export function requirement(id: string): Requirement {
  const found = BY_ID.get(id);
  if (found === undefined) throw new RangeError(`There is no requirement ${id}`);
  return found;
}

export {
  binds,
  type Level,
  ordinal,
  type Requirement,
  type ScoredLevel,
  specificationUrl,
} from './requirement.js';
