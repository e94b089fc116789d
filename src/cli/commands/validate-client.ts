import { PASSIVE_IDS } from '../../validate/client/judge.js';
import { SCENARIOS } from '../../validate/client/requirements.js';
import type { ClientUnderTest, ValidateClientOptions } from '../../validate/client/validate-client.js';
import { validateClient } from '../../validate/index.js';
import type { Validation } from '../../validate/validate.js';
import { UsageError } from '../failure/failure.js';
import { chosenRevisions } from '../options/revisions.js';
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
  return validateClient(
    { command: program, args },
    {
      ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
      ...chosen(flags),
      onScenario: ({ name }) => screen?.write(`${name}\n`),
    },
  );
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
    timeout: patience,
    quiet: QUIET_MS,
    ...chosen(flags),
    onScenario: ({ name, trigger }, url) => {
      out.write(
        `${name}: connect to ${url}${trigger === undefined ? '' : `, then ${trigger}`} (${patience / 1000} s)\n`,
      );
    },
  });
}

/** Scenarios by name, or by a requirement that they show; requirements that every scenario shows need a few. */
function chosen({
  only,
  revision,
}: ValidateFlags): Pick<ValidateClientOptions, 'only' | 'ids' | 'revisions'> {
  const revisions = revision === undefined ? {} : { revisions: chosenRevisions(revision) };
  if (only === undefined) return revisions;
  // What the others compare with is needed whichever of them run.
  const names = new Set(SCENARIOS.map(({ name }) => name).filter((name) => name.startsWith('rehearsal')));
  const ids = new Set<string>();
  for (const word of only) {
    const id = word.padStart(3, '0');
    const named = SCENARIOS.filter(({ name }) => name === word);
    const showing = SCENARIOS.filter((scenario) => scenario.ids.split(' ').includes(id));
    const everywhere = PASSIVE_IDS.split(' ').includes(id) ? SCENARIOS.filter(isPlain) : [];
    const found = [...named, ...showing, ...everywhere];
    if (found.length === 0)
      throw new UsageError(`--only: no scenario has the name or the requirement ${word}`);
    for (const { name } of found) names.add(name);
    if (named.length === 0) ids.add(id);
  }
  const judged = ids.size > 0 && [...ids].length === only.length ? { ids: [...ids] } : {};
  return { ...revisions, only: [...names], ...judged };
}

/** Scenarios in which a client does what it always does. */
function isPlain({ name }: { readonly name: string }): boolean {
  return /^(handshake-\d|stateless)$/.test(name);
}
