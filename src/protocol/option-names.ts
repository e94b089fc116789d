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
  // For code that no compiler has read: the letters of a text would be taken for names.
  const type = Array.isArray(given) ? 'array' : given === null ? 'null' : typeof given;
  if (type !== 'object' && type !== 'undefined')
    return new TypeError(`${what} takes its options as an object, not as ${spelled(type)}`);
  if (isCall(given)) return new TypeError(`${what} makes a middleware: call it where it is used, ${what}()`);
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

/** `use(log)` in place of `use(log())`: the middleware that is to be made gets a call as its options. */
function isCall(given: object | undefined): boolean {
  return given !== undefined && 'method' in given && 'caller' in given;
}

function spelled(type: string): string {
  return type === 'null' ? type : `${type === 'array' ? 'an' : 'a'} ${type}`;
}

/** The known name that differs least, where it differs little: in a third of its letters, and in no more than `most`. */
export function nearest(
  name: string,
  known: readonly string[],
  most: number = Number.POSITIVE_INFINITY,
): string | undefined {
  const limit = Math.min(most, Math.max(1, Math.floor(name.length / 3)));
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
