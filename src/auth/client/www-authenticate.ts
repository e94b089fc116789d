/** Challenges of a `WWW-Authenticate` header: several schemes, quoted strings, in linear time (RFC 9110, 11.6.1). */

export interface Challenge {
  /** Lower case. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const MAX_HEADER = 16_384;
const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const TOKEN68 = /[A-Za-z0-9\-._~+/]+=*(?=\s*(?:,|$))/y;
const SPACE = /[ \t]*/y;
const SEPARATORS = /[ \t,]*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/y;

export function parseChallenges(header: string | undefined): readonly Challenge[] {
  if (header === undefined || header.length > MAX_HEADER) return [];
  const challenges: Challenge[] = [];
  let current: { scheme: string; parameters: Record<string, string> } | undefined;
  let position = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = position;
    const match = pattern.exec(header);
    if (match === null) return undefined;
    position = pattern.lastIndex;
    return match[1] ?? match[0];
  };
  for (;;) {
    take(SEPARATORS);
    const word = take(TOKEN);
    if (word === undefined) return challenges;
    const afterWord = position;
    take(SPACE);
    if (header[position] === '=' && current !== undefined) {
      position += 1;
      take(SPACE);
      const quoted = header[position] === '"' ? take(QUOTED) : undefined;
      const value = quoted === undefined ? take(TOKEN) : quoted.replaceAll(/\\(.)/g, '$1');
      if (value === undefined) return challenges;
      // The first one counts: a second must not replace what was already acted on.
      const name = word.toLowerCase();
      if (!Object.hasOwn(current.parameters, name)) current.parameters[name] = value;
      continue;
    }
    position = afterWord;
    current = { scheme: word.toLowerCase(), parameters: {} };
    challenges.push(current);
    take(SPACE);
    // Credentials without parameters, as Negotiate has them.
    if (!/[!#$%&'*+\-.^_`|~\w]+[ \t]*=[ \t]*["\w]/y.test(header.slice(position, position + 256)))
      take(TOKEN68);
  }
}

/** The challenge that OAuth is about: Bearer, or DPoP where tokens are bound to keys. */
export function tokenChallenge(header: string | undefined): Challenge | undefined {
  const challenges = parseChallenges(header).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  return challenges.find(({ parameters }) => Object.keys(parameters).length > 0) ?? challenges[0];
}
