/**
 * Which regular expressions a backtracking engine matches in linear time. Only the plainest are recognised: a row of
 * characters and classes, with repetitions that cannot give back what the next part would take. Most patterns of
 * schemas are of this kind; what is not recognised is not slow, it is only not known to be fast.
 */

interface Part {
  /** A character, a class, or an escape. */
  readonly atom: string;
  readonly min: number;
  readonly max: number;
}

/** Classes and escapes of one character, then how often. Groups, alternatives and look-around are not parts. */
const PART =
  /(\[(?:[^\]\\]|\\.)*\]|\\[dDwWsS]|\\[\^$\\.*+?()[\]{}|/]|\\[tnrfv-]|[^^$\\.*+?()[\]{}|]|\.)(\*|\+|\?|\{\d+(?:,\d*)?\})?/suy;
/** Parts that each attempt may have to go through again. */
const MAX_LENGTH = 64;
const MAX_PATTERN = 1000;

export function isLinear(source: string): boolean {
  if (source.length > MAX_PATTERN) return false;
  const isAnchored = source.startsWith('^');
  const end = source.endsWith('$') && !source.endsWith('\\$') ? source.length - 1 : source.length;
  const parts = partsOf(source, isAnchored ? 1 : 0, end);
  if (parts === undefined) return false;
  const steps = parts.reduce(
    (sum, { min, max }) => sum + (max === Number.POSITIVE_INFINITY ? min + 1 : max),
    0,
  );
  if (steps > MAX_LENGTH) return false;
  // Without an anchor every position is a beginning, and a repetition would be walked from each of them.
  if (!isAnchored) return parts.every(({ min, max }) => min === max);
  return parts.every(
    (part, index) => part.min === part.max || givesNothingBack(part, parts.slice(index + 1)),
  );
}

function partsOf(source: string, start: number, end: number): Part[] | undefined {
  const parts: Part[] = [];
  PART.lastIndex = start;
  while (PART.lastIndex < end) {
    const found = PART.exec(source);
    const [, atom, quantifier] = found ?? [];
    if (atom === undefined || PART.lastIndex > end) return undefined;
    parts.push({ atom, ...countOf(quantifier) });
  }
  // A question mark or plus that is left over makes a repetition lazy or is a mistake.
  return parts;
}

function countOf(quantifier: string | undefined): { min: number; max: number } {
  switch (quantifier) {
    case undefined:
      return { min: 1, max: 1 };
    case '*':
      return { min: 0, max: Number.POSITIVE_INFINITY };
    case '+':
      return { min: 1, max: Number.POSITIVE_INFINITY };
    case '?':
      return { min: 0, max: 1 };
    default: {
      const [min = '', max] = quantifier.slice(1, -1).split(',');
      const most = max === undefined ? Number(min) : max === '' ? Number.POSITIVE_INFINITY : Number(max);
      return { min: Number(min), max: most };
    }
  }
}

/** Whether nothing that may follow begins with a character that the repetition takes. */
function givesNothingBack(part: Part, following: readonly Part[]): boolean {
  for (const next of following) {
    if (overlap(part.atom, next.atom)) return false;
    if (next.min > 0) return true;
  }
  return true;
}

function overlap(one: string, other: string): boolean {
  const [first, second] = [charactersOf(one), charactersOf(other)];
  if (first.reachesFurther && second.reachesFurther) return true;
  return first.ascii.some((isIn, code) => isIn && second.ascii[code] === true);
}

function charactersOf(atom: string): { ascii: readonly boolean[]; reachesFurther: boolean } {
  const expression = new RegExp(`^(?:${atom})$`, 'u');
  const ascii = Array.from({ length: 128 }, (_, code) => expression.test(String.fromCharCode(code)));
  // Beyond ASCII: named there, or taken in by leaving something out.
  const reachesFurther = atom === '.' || /[^\x20-\x7e]|\[\^|\\[DWSsupx]/.test(atom);
  return { ascii, reachesFurther };
}
