/** Options are checked by name where no compiler did: a misspelt one would be silently without effect. */

/** Every name of an options object; a name that is added to the type and not here does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Names that other libraries have for the same thing. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  inputSchema: 'input',
  parameters: 'input',
  outputSchema: 'output',
  argsSchema: 'input',
  arguments: 'input',
  _meta: 'meta',
};

/** Throws for an option that does not exist, with the one that was probably meant. */
export function assertOptionNames(
  what: string,
  given: object,
  names: Readonly<Record<string, unknown>>,
): void {
  const problem = findOptionProblem(what, given, names);
  if (problem !== undefined) throw problem;
}

/** The same, for those who reject rather than throw. */
export function findOptionProblem(
  what: string,
  given: object,
  names: Readonly<Record<string, unknown>>,
): TypeError | undefined {
  for (const name in given) {
    if (Object.hasOwn(names, name)) continue;
    const known = Object.keys(names);
    const other = ELSEWHERE[name];
    const meant = other !== undefined && known.includes(other) ? other : nearest(name, known);
    const hint = meant === undefined ? `options are ${known.join(', ')}` : `did you mean "${meant}"?`;
    return new TypeError(`${what} has no option "${name}"; ${hint}`);
  }
  return undefined;
}

/** The known name that differs least, where it differs little. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
