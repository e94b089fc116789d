/** The options of a chain. */

import type { ExtensionShape } from '../extensions/extension.js';
import type { ServerTaskOptions, ServingOptions } from '../server/options.js';
import type { ChainExtension } from './extensions.js';
import type { ListLimits } from './lists.js';
import type { ParkingOptions } from './parked.js';
import type { ServerEvent } from './server-events.js';

export interface ChainOptions extends ServingOptions {
  /** How the chain introduces itself where several servers stand behind it; a server alone introduces itself. */
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
  /** The servers behind may be replaced while clients are connected, so changes of every list are announced. */
  readonly replaceable?: boolean;
  /** For the tasks that the chain makes where a server behind has tasks: how long they are kept, how many. */
  readonly tasks?: ServerTaskOptions;
  /** Extensions that the servers behind have in common. Others are passed on where one server stands alone. */
  readonly extensions?: readonly (ExtensionShape | ChainExtension)[];
  /** What happens to the servers behind; by default each event is one line on stderr, unless `onError` is given. */
  readonly onServerEvent?: (event: ServerEvent) => void;
  /** Calls that wait for answers of stateless clients while they run on handshake servers. */
  readonly parked?: Partial<ParkingOptions>;
  /** How much the servers behind may list where several lists become one. */
  readonly lists?: Partial<ListLimits>;
}

export const DEFAULT_PARKING: ParkingOptions = { max: 1000, maxPerPeer: 250, ttlMs: 10 * 60_000 };
