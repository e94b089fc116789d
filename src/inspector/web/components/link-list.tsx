import { type KeyboardEvent, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

export interface LinkItem {
  readonly key: string;
  readonly href: string;
  readonly content: ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
/** From this number on only the links near the view exist. */
const MANY = 200;
const OVERSCAN = 10;
/** Until a link was measured. */
const USUAL_HEIGHT = 54;

/**
 * Links below each other. The list is one stop for the Tab key; the arrow keys go from one link to the next, Home and
 * End to the ends. All links have one height, so that a list may have thousands.
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
  const list = useRef<HTMLUListElement>(null);
  const { first, end, height, reach } = useNear(list, items.length);
  const near = items.slice(first, end);
  const stop = near.some(({ key }) => key === selected) ? selected : near[0]?.key;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const active = document.activeElement?.closest<HTMLElement>('li[data-index]');
    const at = active?.dataset.index === undefined ? first - 1 : Number(active.dataset.index);
    const step = STEPS[event.key];
    const next = step !== undefined ? at + step : { Home: 0, End: items.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next < 0) {
      // Above the first is the search.
      document.querySelector<HTMLElement>('main [data-search="true"]')?.focus();
      return;
    }
    if (next >= items.length) return;
    reach(next);
    list.current?.querySelector<HTMLElement>(`li[data-index="${next}"] a`)?.focus();
  };
  return (
    <ul
      ref={list}
      aria-label={label}
      data-list="true"
      style={{ paddingTop: first * height, paddingBottom: (items.length - end) * height }}
      onKeyDown={onKeyDown}
    >
      {near.map(({ key, href, content }, index) => (
        <li
          key={key}
          data-index={first + index}
          aria-posinset={first + index + 1}
          aria-setsize={items.length}
        >
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

interface Near {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** Of one link. */
  readonly height: number;
  /** Brings a link into the view, and into being. */
  reach(index: number): void;
}

/** Which links are near the view of what scrolls around the list; all of them while they are few. */
function useNear(list: RefObject<HTMLUListElement | null>, count: number): Near {
  const [view, setView] = useState({ top: 0, size: 1_000, height: USUAL_HEIGHT });
  const many = count >= MANY;
  useLayoutEffect(() => {
    const element = list.current;
    const box = element?.closest<HTMLElement>('.split-items');
    if (!many || element === null || box === null || box === undefined) return;
    const look = () => {
      const height = element.querySelector('li')?.offsetHeight || USUAL_HEIGHT;
      const top = box.getBoundingClientRect().top - element.getBoundingClientRect().top;
      setView({ top: Math.max(0, top), size: box.clientHeight, height });
    };
    look();
    box.addEventListener('scroll', look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(box);
    return () => {
      box.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, [list, many]);
  const { top, size, height } = view;
  if (!many) return { first: 0, end: count, height, reach: () => undefined };
  const first = Math.max(0, Math.min(count - 1, Math.floor(top / height) - OVERSCAN));
  const end = Math.min(count, Math.ceil((top + size) / height) + OVERSCAN);
  const reach = (index: number) => {
    const box = list.current?.closest<HTMLElement>('.split-items');
    const element = list.current;
    if (box === null || box === undefined || element === null) return;
    const offset = element.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    const at = offset + index * height;
    if (at < box.scrollTop) box.scrollTop = at;
    else if (at + height > box.scrollTop + box.clientHeight) box.scrollTop = at + height - box.clientHeight;
    // The link has to be there before it gets the focus.
    flushSync(() => setView({ top: Math.max(0, box.scrollTop - offset), size: box.clientHeight, height }));
  };
  return { first, end, height, reach };
}
