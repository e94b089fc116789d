/** A text of any length, line by line: only the visible lines exist. Lines are not wrapped, so that all have one height. */

import { useLayoutEffect, useMemo, useRef, useState } from 'react';

const ROW = 20;
const OVERSCAN = 20;
/** Longer lines are broken here: one line of megabytes would be laid out as a whole. */
const MAX_LINE = 1_000;
/** Browsers limit how high an element may be. */
const MAX_ROWS = 1_500_000;

export function VirtualText({ text, label }: { text: string; label: string }) {
  const box = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const starts = useMemo(() => startsOf(text), [text]);
  useLayoutEffect(() => {
    const height = box.current?.clientHeight ?? 600;
    setView((before) => ({ ...before, height }));
  }, []);
  const count = starts.length;
  const first = Math.max(0, Math.floor(view.top / ROW) - OVERSCAN);
  const end = Math.min(count, Math.ceil((view.top + view.height) / ROW) + OVERSCAN);
  const lines = starts
    .slice(first, end)
    .map((start, index) => text.slice(start, starts[first + index + 1] ?? text.length).replace(/\n$/, ''));
  return (
    <section
      ref={box}
      className="virtual-text mono"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop: top, clientHeight: height } }) => setView({ top, height })}
    >
      <div style={{ height: count * ROW, paddingTop: first * ROW }}>
        <pre>{lines.join('\n')}</pre>
      </div>
    </section>
  );
}

/** Where each row begins. */
function startsOf(text: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length && starts.length < MAX_ROWS; ) {
    starts.push(at);
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next + 1;
    at = Math.min(end, at + MAX_LINE);
  }
  return starts.length === 0 ? [0] : starts;
}
