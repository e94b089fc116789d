/** What has to change to turn one text into another, line by line. */

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Beyond this the table of the comparison would not fit; the middle is then shown as replaced. */
const MAX_CELLS = 4_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const left = before.split('\n');
  const right = after.split('\n');
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let ends = 0;
  while (
    ends < left.length - start &&
    ends < right.length - start &&
    left[left.length - 1 - ends] === right[right.length - 1 - ends]
  ) {
    ends += 1;
  }
  return [
    ...lines('same', left.slice(0, start)),
    ...middle(left.slice(start, left.length - ends), right.slice(start, right.length - ends)),
    ...lines('same', left.slice(left.length - ends)),
  ];
}

function lines(kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] {
  return texts.map((text) => ({ kind, text }));
}

function middle(left: readonly string[], right: readonly string[]): DiffLine[] {
  if (left.length * right.length > MAX_CELLS) return [...lines('removed', left), ...lines('added', right)];
  // lengths[i][j]: the longest common sequence of left from i and right from j.
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) {
      found.push({ kind: 'same', text: left[i] ?? '' });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      found.push({ kind: 'removed', text: left[i] ?? '' });
      i += 1;
    } else {
      found.push({ kind: 'added', text: right[j] ?? '' });
      j += 1;
    }
  }
  return [...found, ...lines('removed', left.slice(i)), ...lines('added', right.slice(j))];
}
