/**
 * A list of any length of which only the visible rows exist. Rows have one height, so that the position of each is
 * known without measuring. Arrows, Page, Home and End move the selection.
 */

import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';

/** Rows beyond the visible ones, so that scrolling shows no gaps. */
const OVERSCAN = 12;

export interface VirtualListHandle {
  scrollTo(index: number): void;
}

export interface Visible {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

export function VirtualList({
  label,
  count,
  rowHeight,
  selected,
  onSelect,
  onVisible,
  row,
  follow = false,
  handle,
}: {
  label: string;
  count: number;
  rowHeight: number;
  selected?: number | undefined;
  onSelect?: (index: number) => void;
  /** Called with the visible rows, so that their contents can be fetched. */
  onVisible?: (visible: Visible) => void;
  row: (index: number) => ReactNode;
  /** Keeps the end in view while rows are added. */
  follow?: boolean;
  handle?: Ref<VirtualListHandle>;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 0 });

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - OVERSCAN);
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + OVERSCAN);

  useEffect(() => onVisible?.({ first, end }), [first, end, onVisible]);

  useLayoutEffect(() => {
    if (follow && box.current !== null) box.current.scrollTop = count * rowHeight;
  }, [follow, count, rowHeight]);

  const scrollTo = (index: number) => {
    const element = box.current;
    if (element === null) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  };
  useImperativeHandle(handle, () => ({ scrollTo }));

  const onKeyDown = (event: KeyboardEvent) => {
    if (onSelect === undefined || count === 0) return;
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const at = selected ?? -1;
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(count - 1, next));
    onSelect(index);
    scrollTo(index);
  };

  const rows = [];
  for (let index = first; index < end; index += 1) {
    rows.push(
      <div
        key={index}
        id={`${label.replaceAll(' ', '-')}-${index}`}
        className="virtual-row"
        role="option"
        aria-selected={index === selected}
        aria-posinset={index + 1}
        aria-setsize={count}
        style={{ top: index * rowHeight, height: rowHeight }}
        onClick={() => onSelect?.(index)}
        onKeyDown={undefined}
        tabIndex={-1}
      >
        {row(index)}
      </div>,
    );
  }
  const shown = selected !== undefined && selected >= first && selected < end;
  return (
    <div
      className="virtual-list"
      ref={box}
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={shown ? `${label.replaceAll(' ', '-')}-${selected}` : undefined}
      onKeyDown={onKeyDown}
      onScroll={(event) =>
        setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })
      }
    >
      <div className="virtual-space" style={{ height: count * rowHeight }}>
        {rows}
      </div>
    </div>
  );
}
