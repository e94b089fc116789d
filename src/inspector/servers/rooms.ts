/** What every inspected server shares with the others. */

import type { ServerLogins } from '../auth/server-logins.js';
import type { EventSink } from '../events.js';
import type { Recording } from '../recorder/recording.js';
import type { Asks } from './asks.js';
import type { Calls } from './calls.js';
import type { LogBook } from './logs.js';

export interface InspectorRooms {
  readonly emit: EventSink;
  readonly recording: Recording;
  readonly asks: Asks;
  readonly calls: Calls;
  readonly logs: LogBook;
  readonly auth: ServerLogins;
}
