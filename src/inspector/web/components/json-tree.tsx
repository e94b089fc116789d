/** A JSON value to open and close, with the keys of a tree: arrows, Home, End. */

import { type KeyboardEvent, useState } from 'react';

const MAX_CHILDREN = 200;
/** A preview of what is closed. */
const PREVIEW_CHARS = 60;
/** Longer strings are cut until they are wanted. */
const MAX_STRING = 5_000;

export function JsonTree({
  value,
  label,
  openDepth = 2,
}: {
  value: unknown;
  label: string;
  openDepth?: number;
}) {
  return (
    <div className="json-tree mono" role="tree" aria-label={label} onKeyDown={onTreeKey}>
      <Node value={value} depth={0} openDepth={openDepth} first />
    </div>
  );
}

function Node({
  name,
  value,
  depth,
  openDepth,
  first = false,
}: {
  name?: string;
  value: unknown;
  depth: number;
  openDepth: number;
  first?: boolean;
}) {
  const [open, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(MAX_CHILDREN);
  const entries = entriesOf(value);
  const inner = entries !== undefined && entries.length > 0;
  const key = name === undefined ? null : <span className="json-key">{name}: </span>;
  if (!inner) {
    return (
      <div
        className="json-node"
        role="treeitem"
        tabIndex={first ? 0 : -1}
        aria-level={depth + 1}
        aria-selected="false"
      >
        {key}
        <Leaf value={value} />
      </div>
    );
  }
  const toggle = () => setOpen(!open);
  return (
    <div
      className="json-node"
      role="treeitem"
      tabIndex={first ? 0 : -1}
      aria-level={depth + 1}
      aria-selected="false"
      aria-expanded={open}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of its items */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the item around it has the role */}
      <span className="json-toggle" data-open={open} onClick={toggle}>
        {key}
        <span className="soft">{open ? countOf(value, entries.length) : preview(value)}</span>
      </span>
      {open && (
        // biome-ignore lint/a11y/useSemanticElements: groups of a tree have this role
        <div className="json-children" role="group">
          {entries.slice(0, shown).map(([childName, child]) => (
            <Node key={childName} name={childName} value={child} depth={depth + 1} openDepth={openDepth} />
          ))}
          {entries.length > shown && (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of its items
            <div
              className="json-node json-more"
              role="treeitem"
              tabIndex={-1}
              aria-level={depth + 2}
              aria-selected="false"
              onClick={() => setShown(shown + MAX_CHILDREN)}
            >
              {entries.length - shown} more
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') return <StringLeaf value={value} />;
  if (typeof value === 'number') return <span className="json-number">{String(value)}</span>;
  if (Array.isArray(value)) return <span className="soft">[]</span>;
  if (typeof value === 'object' && value !== null) return <span className="soft">{'{}'}</span>;
  return <span className="json-word">{String(value)}</span>;
}

function StringLeaf({ value }: { value: string }) {
  const [all, setAll] = useState(false);
  const cut = !all && value.length > MAX_STRING;
  return (
    <>
      <span className="json-string">{JSON.stringify(cut ? value.slice(0, MAX_STRING) : value)}</span>
      {cut && (
        <button type="button" className="link-button small" onClick={() => setAll(true)}>
          … show all {value.length.toLocaleString('en-US')} characters
        </button>
      )}
    </>
  );
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item, index) => [String(index), item] as const);
  if (typeof value === 'object' && value !== null) return Object.entries(value);
  return undefined;
}

function countOf(value: unknown, count: number): string {
  return Array.isArray(value) ? `[${count}]` : `{${count}}`;
}

function preview(value: unknown): string {
  const text = previewText(value);
  return text.length > PREVIEW_CHARS ? `${text.slice(0, PREVIEW_CHARS)}…` : text;
}

/** Only as much of it as is shown: what is closed may be large. */
function previewText(value: unknown): string {
  const parts = (entriesOf(value) ?? []).slice(0, 8).map(([name, each]) => {
    const shown =
      typeof each === 'string'
        ? JSON.stringify(each.slice(0, PREVIEW_CHARS))
        : typeof each === 'object' && each !== null
          ? Array.isArray(each)
            ? '[…]'
            : '{…}'
          : String(each);
    return Array.isArray(value) ? shown : `${JSON.stringify(name)}:${shown}`;
  });
  return Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}

function onTreeKey(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="treeitem"]')];
  const item = document.activeElement;
  if (!(item instanceof HTMLElement)) return;
  const at = items.indexOf(item);
  const expanded = item.getAttribute('aria-expanded');
  const toggle = item.querySelector<HTMLElement>(':scope > .json-toggle') ?? item;
  const move = (to: HTMLElement | null | undefined) => to?.focus();
  switch (event.key) {
    case 'ArrowDown':
      move(items[at + 1]);
      break;
    case 'ArrowUp':
      move(items[at - 1]);
      break;
    case 'Home':
      move(items[0]);
      break;
    case 'End':
      move(items.at(-1));
      break;
    case 'ArrowRight':
      if (expanded === 'false') toggle.click();
      else if (expanded === 'true') move(items[at + 1]);
      break;
    case 'ArrowLeft':
      if (expanded === 'true') toggle.click();
      else move(item.parentElement?.closest<HTMLElement>('[role="treeitem"]'));
      break;
    case 'Enter':
    case ' ':
      toggle.click();
      break;
    default:
      return;
  }
  event.preventDefault();
}
