/** Every check of servers, in the order in which they run. Watches come last: they judge what the others caused. */

import type { Check } from '../check.js';
import { inputRequiredChecks } from './asking/input-required.js';
import { questionChecks } from './asking/questions.js';
import { authorizationChecks } from './authorization/authorization.js';
import { batchChecks } from './base/batches.js';
import { messageChecks } from './base/messages.js';
import { extensionTaskChecks } from './extensions/extension-tasks.js';
import { extensionChecks } from './extensions/extensions.js';
import { taskChecks } from './extensions/tasks.js';
import { changeChecks } from './features/changes.js';
import { loggingChecks } from './features/logging.js';
import { promptChecks } from './features/prompts.js';
import { resourceChecks } from './features/resources.js';
import { toolResultChecks } from './features/tool-results.js';
import { toolChecks } from './features/tools.js';
import { lifecycleChecks } from './handshake/lifecycle.js';
import { negotiatedChecks } from './handshake/negotiated.js';
import { accessChecks } from './http/access.js';
import { httpChecks, sessionChecks } from './http/handshake.js';
import { legacySseChecks } from './http/legacy-sse.js';
import { parameterChecks } from './http/parameters.js';
import { resumptionChecks } from './http/resumption.js';
import { statelessHttpChecks } from './http/stateless.js';
import { cancellationChecks } from './running/cancellation.js';
import { cachingChecks } from './stateless/caching.js';
import { discoverChecks } from './stateless/discover.js';
import { envelopeChecks } from './stateless/envelope.js';
import { subscriptionChecks } from './stateless/subscriptions.js';
import { stdioChecks } from './stdio/stdio.js';
import { envelopeWatches } from './watch/envelope.js';
import { metaWatches } from './watch/meta.js';
import { progressWatches } from './watch/progress.js';
import { shapeWatches } from './watch/shapes.js';

export const SERVER_CHECKS: readonly Check[] = [
  ...lifecycleChecks,
  ...envelopeChecks,
  ...discoverChecks,
  ...toolChecks,
  ...toolResultChecks,
  ...resourceChecks,
  ...promptChecks,
  ...loggingChecks,
  ...negotiatedChecks,
  ...inputRequiredChecks,
  ...questionChecks,
  ...subscriptionChecks,
  ...cancellationChecks,
  ...changeChecks,
  ...messageChecks,
  ...batchChecks,
  ...stdioChecks,
  ...taskChecks,
  ...extensionTaskChecks,
  ...extensionChecks,
  ...accessChecks,
  ...httpChecks,
  ...sessionChecks,
  ...resumptionChecks,
  ...statelessHttpChecks,
  ...parameterChecks,
  ...legacySseChecks,
  ...authorizationChecks,
  ...cachingChecks,
  ...envelopeWatches,
  ...metaWatches,
  ...progressWatches,
  ...shapeWatches,
];
