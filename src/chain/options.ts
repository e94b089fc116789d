/** The options of a chain. */

import type { ExtensionShape } from '../extensions/extension.js';
import { milliseconds } from '../protocol/duration.js';
import { given, type Optional } from '../protocol/given.js';
import type { OptionNames } from '../protocol/option-names.js';
import type { ServerTaskOptions, ServingOptions } from '../server/options.js';
import type { ChainExtension } from './extensions.js';
import type { ListLimits } from './list-limits.js';
import type { ParkingOptions, ParkingSettings } from './parked.js';
import type { ServerEvent } from './server-events.js';

/** Options of `createChain`. */
export interface ChainOptions extends ServingOptions {
  /** How the chain introduces itself where several servers stand behind it; a server alone introduces itself. */
  readonly name?: string | undefined;
  /** Its version. Default: that of Plumb. */
  readonly version?: string | undefined;
  /** The name for people. */
  readonly title?: string | undefined;
  /** Sent to clients when they connect. Default: those of the servers behind. */
  readonly instructions?: string | undefined;
  /** The servers behind may be replaced while clients are connected, so changes of every list are announced. */
  readonly replaceable?: boolean | undefined;
  /** For the tasks that the chain makes where a server behind has tasks: how long they are kept, how many. */
  readonly tasks?: ServerTaskOptions | undefined;
  /** Extensions that the servers behind have in common. Others are passed on where one server stands alone. */
  readonly extensions?: readonly (ExtensionShape | ChainExtension)[] | undefined;
  /** What happens to the servers behind; by default each event is one line on stderr, unless `onError` is given. */
  readonly onServerEvent?: ((event: ServerEvent) => void) | undefined;
  /** Calls that wait for answers of stateless clients while they run on handshake servers. */
  readonly parked?: Optional<ParkingOptions> | undefined;
  /** How much the servers behind may list where several lists become one. */
  readonly lists?: Optional<ListLimits> | undefined;
}

export const CHAIN_OPTIONS: OptionNames<ChainOptions> = {
  name: true,
  version: true,
  title: true,
  instructions: true,
  replaceable: true,
  tasks: true,
  extensions: true,
  onServerEvent: true,
  parked: true,
  lists: true,
  revisions: true,
  requestState: true,
  exposeErrors: true,
  onError: true,
  state: true,
  limits: true,
  observe: true,
  telemetry: true,
  http: true,
};

export const DEFAULT_PARKING: ParkingSettings = { max: 1000, maxPerPeer: 250, ttl: 10 * 60_000 };

export function parkingSettings(options: Optional<ParkingOptions> = {}): ParkingSettings {
  const settings = { ...DEFAULT_PARKING, ...given(options) };
  return { ...settings, ttl: milliseconds(settings.ttl) };
}
