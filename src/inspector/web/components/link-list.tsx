import type { KeyboardEvent, ReactNode } from 'react';

export interface LinkItem {
  readonly key: string;
  readonly href: string;
  readonly content: ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * Links below each other. The list is one stop for the Tab key; the arrow keys go from one link to the next, Home and
 * End to the ends. Links far from the view are laid out when they come near: a list may have thousands.
 */
export function LinkList({
  label,
  items,
  selected,
}: {
  label: string;
  items: readonly LinkItem[];
  selected?: string | undefined;
}) {
  const stop = items.some(({ key }) => key === selected) ? selected : items[0]?.key;
  return (
    <ul aria-label={label} className="link-list" data-list="true" onKeyDown={moveFocus}>
      {items.map(({ key, href, content }) => (
        <li key={key}>
          <a
            className="item"
            href={href}
            aria-current={key === selected ? 'true' : undefined}
            tabIndex={key === stop ? 0 : -1}
          >
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
  if (next < 0) {
    // Above the first is the search.
    document.querySelector<HTMLElement>('main [data-search="true"]')?.focus();
    return;
  }
  links[next]?.focus();
}
