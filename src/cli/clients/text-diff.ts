/** A change to one place of a file, as a unified diff. */

const CONTEXT_LINES = 3;

export function textDiff(path: string, before: string | undefined, after: string | undefined): string[] {
  const old = linesOf(before ?? '');
  const fresh = linesOf(after ?? '');
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  const from = Math.max(0, head - CONTEXT_LINES);
  const oldEnd = Math.min(old.length, old.length - tail + CONTEXT_LINES);
  const freshEnd = Math.min(fresh.length, fresh.length - tail + CONTEXT_LINES);
  return [
    `--- ${before === undefined ? '(no file)' : path}`,
    `+++ ${after === undefined ? '(no file)' : path}`,
    `@@ -${span(from, oldEnd)} +${span(from, freshEnd)} @@`,
    ...old.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, oldEnd).map((line) => ` ${line}`),
  ];
}

function span(from: number, end: number): string {
  return end === from ? `${from},0` : `${from + 1},${end - from}`;
}

function linesOf(text: string): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
