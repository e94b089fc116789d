import {
  type ClientUnderTest,
  commandClient,
  type Validation,
  validateClient,
} from '../../validate/index.js';
import { UsageError } from '../failure.js';
import type { Terminal } from '../output/terminal.js';
import type { ValidateFlags } from './validate.js';

/** How long a person has to connect and to do what a scenario asks for. */
const LISTEN_MS = 60_000;

export async function judgeClient(
  command: readonly string[] | undefined,
  flags: ValidateFlags,
  out: Terminal,
): Promise<Validation> {
  if (flags.listen !== undefined) return listen(flags.listen, flags, out);
  const [program, ...args] = command ?? [];
  if (program === undefined) {
    throw new UsageError('--client needs the command that starts the client, after --, or --listen PORT');
  }
  const screen = flags.quiet === true ? undefined : process.stderr;
  return validateClient(commandClient(program, args), {
    ...(flags.timeout === undefined ? {} : { scenarioMs: flags.timeout }),
    onScenario: ({ name }) => screen?.write(`${name}\n`),
  });
}

/** Any application: it is told the address, and what to do there. */
function listen(port: number, flags: ValidateFlags, out: Terminal): Promise<Validation> {
  const patience = flags.timeout ?? LISTEN_MS;
  const anybody: ClientUnderTest = {
    label: `client on port ${port}`,
    run: (_url, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  };
  return validateClient(anybody, {
    port,
    scenarioMs: patience,
    onScenario: ({ name, trigger }, url) => {
      out.write(
        `${name}: connect to ${url}${trigger === undefined ? '' : `, then ${trigger}`} (${patience / 1000} s)\n`,
      );
    },
  });
}
