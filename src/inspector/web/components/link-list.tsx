import type { KeyboardEvent, ReactNode } from 'react';

export interface LinkItem {
  readonly key: string;
  readonly href: string;
  readonly content: ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Links below each other; the arrow keys go from one to the next, Home and End to the ends. */
export function LinkList({
  label,
  items,
  selected,
}: {
  label: string;
  items: readonly LinkItem[];
  selected?: string | undefined;
}) {
  return (
    <ul aria-label={label} onKeyDown={moveFocus}>
      {items.map(({ key, href, content }) => (
        <li key={key}>
          <a className="item" href={href} aria-current={key === selected ? 'true' : undefined}>
            {content}
          </a>
        </li>
      ))}
    </ul>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a.item')];
  const active = document.activeElement;
  const at = active instanceof HTMLElement ? links.indexOf(active) : -1;
  const step = STEPS[event.key];
  const next = step !== undefined ? at + step : { Home: 0, End: links.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  links[next]?.focus();
}
