/** An inspector beside a chain, where it was asked for: it watches the traffic on both sides. */

import type { ChainWatch } from '../../inspector/watch-chain.js';
import { CommandFailure, EXIT_FAILED } from '../failure/failure.js';
import { givenToken } from '../options/inspector-token.js';
import { clientConfigs } from '../target/client-configs.js';
import { savedCallsPath, savedServersFolder } from './inspector-files.js';
import { describeListening } from './serve-http.js';

export interface InspectedFlags {
  /** The port of the inspector; true for any that is free. */
  readonly inspect?: number | true;
}

/** Runs `work`, and ends the inspector with it. */
export async function withInspector(
  { inspect }: InspectedFlags,
  name: string,
  work: (watch: ChainWatch | undefined) => Promise<number>,
): Promise<number> {
  if (inspect === undefined) return work(undefined);
  const { createInspector, listenInspector } = await import('../../inspector/inspector.js');
  const { ChainWatch: Watch } = await import('../../inspector/watch-chain.js');
  const inspector = createInspector({
    token: givenToken(),
    configs: clientConfigs(),
    savedCalls: savedCallsPath(),
    savedServers: savedServersFolder(),
  });
  const port = inspect === true ? 0 : inspect;
  const listener = await listenInspector(inspector, port).catch((error: unknown) => {
    throw new CommandFailure(EXIT_FAILED, describeListening(error, { port }), { cause: error });
  });
  process.stderr.write(`The inspector is at ${listener.url.href}\n`);
  try {
    return await work(new Watch(inspector.core, name));
  } finally {
    await listener.close();
  }
}
