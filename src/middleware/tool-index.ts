/**
 * Finding tools by words. One pass over the words of all tools counts how rare each is, one more adds up what the
 * query's words are worth in each; no pattern is matched, so the time grows with the text and with nothing else.
 */

export interface Searchable {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** The names of its arguments. */
  readonly parameters: readonly string[];
}

export interface Found<T> {
  readonly item: T;
  readonly score: number;
}

const WEIGHTS = { name: 4, title: 3, parameters: 1, description: 1 } as const;
/** A word that only begins like the one asked for. */
const PREFIX_SHARE = 0.5;
const SHORTEST_PREFIX = 3;
/** Every tool is looked through for each word. */
const MAX_TERMS = 32;
const MAX_QUERY = 10_000;

interface Entry<T> {
  readonly item: T;
  /** The weight of each of its words. */
  readonly words: ReadonlyMap<string, number>;
}

/** An index over tools, for as many queries as wanted. */
export class ToolIndex<T> {
  readonly #entries: readonly Entry<T>[];
  /** In how many tools each word stands. */
  readonly #frequency = new Map<string, number>();

  constructor(items: readonly T[], describe: (item: T) => Searchable) {
    this.#entries = items.map((item) => ({ item, words: weigh(describe(item)) }));
    for (const { words } of this.#entries) {
      for (const word of words.keys()) this.#frequency.set(word, (this.#frequency.get(word) ?? 0) + 1);
    }
  }

  /** The best first; those that hold none of the words are left out. Without words, all in their own order. */
  find(query: string, limit: number): Found<T>[] {
    const terms = [...new Set(wordsOf(query.slice(0, MAX_QUERY)))].slice(0, MAX_TERMS);
    if (terms.length === 0) return this.#entries.slice(0, limit).map(({ item }) => ({ item, score: 0 }));
    const found: Found<T>[] = [];
    for (const { item, words } of this.#entries) {
      let score = 0;
      let hits = 0;
      for (const term of terms) {
        const worth = this.#worth(term, words);
        score += worth;
        if (worth > 0) hits += 1;
      }
      // Half of the words of a query are worth less than half of it.
      if (score > 0) found.push({ item, score: score * (hits / terms.length) });
    }
    return found.sort((one, other) => other.score - one.score).slice(0, limit);
  }

  #worth(term: string, words: ReadonlyMap<string, number>): number {
    const exact = words.get(term);
    if (exact !== undefined) return exact * this.#rarity(term);
    if (term.length < SHORTEST_PREFIX) return 0;
    let best = 0;
    for (const [word, weight] of words) {
      const akin = word.startsWith(term) || (word.length >= SHORTEST_PREFIX && term.startsWith(word));
      if (akin && weight > best) best = weight;
    }
    return best * PREFIX_SHARE;
  }

  #rarity(word: string): number {
    return Math.log(1 + this.#entries.length / (this.#frequency.get(word) ?? 1));
  }
}

function weigh({ name, title, description, parameters }: Searchable): Map<string, number> {
  const words = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) if ((words.get(word) ?? 0) < weight) words.set(word, weight);
  };
  add(name, WEIGHTS.name);
  add(title ?? '', WEIGHTS.title);
  add(description ?? '', WEIGHTS.description);
  for (const parameter of parameters) add(parameter, WEIGHTS.parameters);
  return words;
}

/** Words in lower case; `getUserName`, `get_user_name` and `get-user-name` are the same three. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
