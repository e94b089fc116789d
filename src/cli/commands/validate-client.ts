import { SCENARIOS } from '../../validate/client/requirements.js';
import type { ClientUnderTest } from '../../validate/client/validate-client.js';
import { commandClient, type Validation, validateClient } from '../../validate/index.js';
import { UsageError } from '../failure/failure.js';
import type { Terminal } from '../output/terminal.js';
import type { ValidateFlags } from './validate.js';

/** How long a person has to connect and to do what a scenario asks for. */
const LISTEN_MS = 60_000;
/** Long enough for an application to do the next thing by itself. */
const QUIET_MS = 4_000;

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
    ...chosen(flags.only),
    onScenario: ({ name }) => screen?.write(`${name}\n`),
  });
}

/** Any application: the user gets the address, and what to do in each scenario. */
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
    quietMs: QUIET_MS,
    ...chosen(flags.only),
    onScenario: ({ name, trigger }, url) => {
      out.write(
        `${name}: connect to ${url}${trigger === undefined ? '' : `, then ${trigger}`} (${patience / 1000} s)\n`,
      );
    },
  });
}

/** Scenarios by name, or by the number of a requirement that they show. */
function chosen(only: readonly string[] | undefined): { readonly only?: readonly string[] } {
  if (only === undefined) return {};
  const names = only.flatMap((word) => {
    const id = word.padStart(3, '0');
    return SCENARIOS.filter(({ name, ids }) => name === word || ids.split(' ').includes(id)).map(
      ({ name }) => name,
    );
  });
  if (names.length === 0)
    throw new UsageError(`--only: no scenario has the name or the requirement ${only.join(', ')}`);
  return { only: names };
}
