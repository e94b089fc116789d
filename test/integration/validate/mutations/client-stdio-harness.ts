/** Runs the scenarios against the reference client that starts its server, with one thing broken. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import type { Transport } from '../../../../src/transports/transport.js';
import { validateClient } from '../../../../src/validate/index.js';
import { referenceStdioClient } from '../reference-client.js';

export interface LineMutation {
  readonly id: string;
  readonly name: string;
  /** The scenarios that show it. */
  readonly in: readonly string[];
  /** The lines that leave in place of a message. */
  readonly lines?: (message: JsonObject, memory: Map<string, unknown>) => readonly string[];
  /** How often it starts its server. */
  readonly starts?: number;
}

export interface LineTrial {
  readonly mutation: LineMutation;
  readonly found: boolean;
  readonly message: string;
}

export async function lineTrial(mutation: LineMutation): Promise<LineTrial> {
  const client = referenceStdioClient(() => tapOf(mutation));
  const { runs } = await validateClient(client, { only: mutation.in, timeout: 20_000 });
  const outcomes = runs.flatMap(({ outcomes: all }) => all).filter(({ id }) => id === mutation.id);
  const failed = outcomes.find(({ verdict }) => verdict === 'fail');
  const message = failed?.findings[0]?.message ?? outcomes[0]?.reason ?? outcomes[0]?.verdict ?? 'not judged';
  return { mutation, found: failed !== undefined, message };
}

/** Stands between the client and its transports for the time of one scenario. */
function tapOf({
  lines,
  starts = Number.POSITIVE_INFINITY,
}: LineMutation): (transport: Transport) => Transport {
  const memory = new Map<string, unknown>();
  let started = 0;
  return (transport) => ({
    label: transport.label,
    start: async (receiver) => {
      started += 1;
      if (started > starts) throw new Error('it is not started again');
      await transport.start(receiver);
    },
    send: async (given, options) => {
      const message: unknown = typeof given === 'string' ? JSON.parse(given) : given;
      if (lines === undefined || !isRecord(message)) return transport.send(given, options);
      for (const line of lines(message, memory)) await transport.send(line, options);
    },
    close: () => transport.close(),
  });
}
