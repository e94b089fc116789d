/** Whether every word occurs in one of the texts, without regard to case. */
export function matches(search: string, ...texts: readonly (string | undefined)[]): boolean {
  const all = texts.join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
