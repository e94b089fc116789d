/** Every check of servers. The lane of each decides when it runs; inside a lane they run in this order. */

import type { Check } from '../check.js';
import { inputRequiredChecks } from './asking/input-required.js';
import { questionChecks } from './asking/questions.js';
import { authorizationChecks } from './authorization/authorization.js';
import { batchChecks } from './base/batches.js';
import { idChecks } from './base/ids.js';
import { malformedChecks } from './base/malformed.js';
import { messageChecks } from './base/messages.js';
import { extensionTaskChecks } from './extensions/extension-tasks.js';
import { extensionChecks } from './extensions/extensions.js';
import { cardChecks } from './extensions/server-card.js';
import { skillChecks } from './extensions/skills.js';
import { taskChecks } from './extensions/tasks.js';
import { changeChecks } from './features/changes.js';
import { loggingChecks } from './features/logging.js';
import { promptChecks } from './features/prompts.js';
import { resourceChecks } from './features/resources.js';
import { toolResultChecks } from './features/tool-results.js';
import { toolChecks } from './features/tools.js';
import { updateChecks } from './features/updates.js';
import { lifecycleChecks } from './handshake/lifecycle.js';
import { negotiatedChecks } from './handshake/negotiated.js';
import { accessChecks } from './http/access.js';
import { httpChecks } from './http/handshake.js';
import { legacySseChecks } from './http/legacy-sse.js';
import { mirroredChecks } from './http/mirrored.js';
import { parameterChecks } from './http/parameters.js';
import { resumptionChecks } from './http/resumption.js';
import { sessionChecks } from './http/sessions.js';
import { statelessHttpChecks } from './http/stateless.js';
import { cancellationChecks } from './running/cancellation.js';
import { progressChecks } from './running/progress.js';
import { cachingChecks } from './stateless/caching.js';
import { deliveryChecks } from './stateless/deliveries.js';
import { discoverChecks } from './stateless/discover.js';
import { envelopeChecks } from './stateless/envelope.js';
import { subscriptionChecks } from './stateless/subscriptions.js';
import { stdioChecks } from './stdio/stdio.js';
import { envelopeWatches } from './watch/envelope.js';
import { metaWatches } from './watch/meta.js';
import { optionWatches } from './watch/options.js';
import { progressWatches } from './watch/progress.js';
import { shapeWatches } from './watch/shapes.js';

export const SERVER_CHECKS: readonly Check[] = [
  // These wait for tools that take their time. They begin first, so that none of them is waited for alone at the end.
  ...taskChecks,
  ...extensionTaskChecks,
  ...cancellationChecks,
  ...progressChecks,
  ...lifecycleChecks,
  ...envelopeChecks,
  ...discoverChecks,
  ...toolChecks,
  ...toolResultChecks,
  ...resourceChecks,
  ...updateChecks,
  ...promptChecks,
  ...loggingChecks,
  ...negotiatedChecks,
  ...inputRequiredChecks,
  ...questionChecks,
  ...subscriptionChecks,
  ...deliveryChecks,
  ...changeChecks,
  ...idChecks,
  ...messageChecks,
  ...malformedChecks,
  ...batchChecks,
  ...stdioChecks,
  ...extensionChecks,
  ...cardChecks,
  ...skillChecks,
  ...accessChecks,
  ...httpChecks,
  ...sessionChecks,
  ...resumptionChecks,
  ...statelessHttpChecks,
  ...mirroredChecks,
  ...parameterChecks,
  ...legacySseChecks,
  ...authorizationChecks,
  ...cachingChecks,
  ...envelopeWatches,
  ...metaWatches,
  ...progressWatches,
  ...shapeWatches,
  ...optionWatches,
];
