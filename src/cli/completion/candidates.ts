/** What the word that is being typed may become. */

export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionShape[];
}

export interface OptionShape {
  readonly flag: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** What a server has, as far as the command line can complete it. */
export interface CompletableServer {
  readonly tools: readonly CompletableItem[];
  readonly prompts: readonly CompletableItem[];
  readonly resources: readonly { readonly name: string; readonly description: string }[];
}

export interface CompletableItem {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly values: readonly string[];
  }[];
}

export interface CompletionSources {
  readonly commands: readonly CommandShape[];
  readonly clients: readonly string[];
  configNames(config: string | undefined): readonly string[];
  hubNames(): readonly string[];
  /** Names of the entries of all clients. */
  entryNames(): readonly string[];
  server(target: string, config: string | undefined): Promise<CompletableServer>;
}

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** `files`: the shell completes names of files. */
export type Candidates = readonly Candidate[] | 'files';

const TARGETED: ReadonlySet<string> = new Set(
  'list call read prompt complete inspect login logout proxy validate doctor lock diff lint gen test'.split(
    ' ',
  ),
);
const SHELLS = ['bash', 'zsh', 'fish'];
const HUB_VERBS = ['status', 'stop', 'logs', 'inspect', 'run'];

/** `words` are those after `plumb`; the last one is being typed. */
export async function candidates(words: readonly string[], sources: CompletionSources): Promise<Candidates> {
  const typed = words.at(-1) ?? '';
  // What starts a server is none of ours.
  if (words.slice(0, -1).includes('--')) return 'files';
  const found = await matching(words, typed, sources);
  return found === 'files' ? found : found.filter(({ value }) => value.startsWith(typed));
}

async function matching(
  words: readonly string[],
  typed: string,
  sources: CompletionSources,
): Promise<Candidates> {
  const [name, ...rest] = words.slice(0, -1);
  if (name === undefined)
    return sources.commands.map((command) => ({ value: command.name, description: command.summary }));
  const command = sources.commands.find((known) => known.name === name);
  if (command === undefined) return [];
  const { places, pending, given } = parse(rest, command);
  if (pending !== undefined) return valuesOf(pending, sources);
  if (typed.startsWith('-')) {
    return command.options.map(({ flag, description }) => ({ value: flag, description }));
  }
  return positional(name, places, typed, given.get('--config'), sources);
}

interface ParsedWords {
  readonly places: readonly string[];
  /** An option whose value is being typed. */
  readonly pending: OptionShape | undefined;
  readonly given: ReadonlyMap<string, string>;
}

function parse(words: readonly string[], { options }: CommandShape): ParsedWords {
  const places: string[] = [];
  const given = new Map<string, string>();
  let pending: OptionShape | undefined;
  for (const word of words) {
    if (pending !== undefined) {
      given.set(pending.flag, word);
      pending = undefined;
    } else if (word.startsWith('-') && word !== '-') {
      pending = options.find(({ flag, takesValue }) => flag === word && takesValue);
    } else places.push(word);
  }
  return { places, pending, given };
}

function valuesOf({ flag, choices }: OptionShape, { clients }: CompletionSources): Candidates {
  if (choices.length > 0) return choices.map(plain);
  if (flag === '--client') return [...clients, 'all'].map(plain);
  if (flag === '--from') return [...clients, 'hub'].map(plain);
  return 'files';
}

async function positional(
  command: string,
  places: readonly string[],
  typed: string,
  config: string | undefined,
  sources: CompletionSources,
): Promise<Candidates> {
  const [target, item] = places;
  switch (command) {
    case 'completion':
      return SHELLS.map(plain);
    case 'connect':
    case 'logs':
      return places.length === 0 ? sources.hubNames().map(plain) : [];
    case 'hub':
      if (places.length === 0) return HUB_VERBS.map(plain);
      return target === 'logs' ? sources.hubNames().map(plain) : [];
    case 'remove':
      return sources.entryNames().map(plain);
  }
  if (!TARGETED.has(command)) return 'files';
  if (target === undefined) return sources.configNames(config).map(plain);
  if (command === 'list') return ['tools', 'resources', 'templates', 'prompts'].map(plain);
  if (command !== 'call' && command !== 'prompt' && command !== 'read') return [];
  const server = await sources.server(target, config);
  if (command === 'read') return server.resources.map(described);
  const items = command === 'call' ? server.tools : server.prompts;
  const chosen = items.find(({ name }) => name === item);
  if (item === undefined) return items.map(described);
  return chosen === undefined ? [] : argumentsOf(chosen, places.slice(2), typed);
}

/** `name=` for what is not given yet, and `name=value` where the schema lists the values. */
function argumentsOf(item: CompletableItem, given: readonly string[], typed: string): Candidate[] {
  const [, key] = /^([^=]+?):?=/.exec(typed) ?? [];
  if (key !== undefined) {
    const values = item.arguments.find(({ name }) => name === key)?.values ?? [];
    return values.map((value) => plain(`${key}=${value}`));
  }
  const names = new Set(given.map((word) => /^([^=]+?):?=/.exec(word)?.[1]));
  return item.arguments
    .filter(({ name }) => !names.has(name))
    .map(({ name, description }) => ({ value: `${name}=`, description }));
}

function plain(value: string): Candidate {
  return { value };
}

function described({
  name,
  description,
}: {
  readonly name: string;
  readonly description: string;
}): Candidate {
  return { value: name, description };
}
