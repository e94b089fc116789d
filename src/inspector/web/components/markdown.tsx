/** Markdown from servers: only elements of this list, with only these attributes, whatever the text holds. */

import { compiler } from 'markdown-to-jsx/react';
import { createElement, type ElementType, Fragment, type ReactNode, useMemo } from 'react';
import { SafeLink } from './safe-link.js';

const ELEMENTS: ReadonlySet<unknown> = new Set([
  'p',
  'em',
  'strong',
  'del',
  'code',
  'pre',
  'blockquote',
  'ul',
  'ol',
  'li',
  'hr',
  'br',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
  'div',
  'span',
]); // prettier-ignore

/** Headings of a text are below those of the page. */
const HEADINGS: Readonly<Record<string, string>> = {
  h1: 'h3',
  h2: 'h3',
  h3: 'h4',
  h4: 'h5',
  h5: 'h6',
  h6: 'h6',
};

interface Attributes {
  readonly key?: string | number;
  readonly href?: unknown;
  readonly src?: unknown;
  readonly alt?: unknown;
  readonly start?: unknown;
  readonly checked?: unknown;
  readonly type?: unknown;
}

function element(tag: unknown, attributes: unknown, ...children: ReactNode[]): ReactNode {
  const given = (attributes ?? {}) as Attributes;
  const props = given.key === undefined ? {} : { key: given.key };
  if (tag === 'a') {
    return (
      <SafeLink {...props} address={String(given.href ?? '')}>
        {children}
      </SafeLink>
    );
  }
  // A remote image would reveal the reader to its host, so it is a link.
  if (tag === 'img') {
    return (
      <SafeLink {...props} address={String(given.src ?? '')}>
        {String(given.alt || 'picture')}
      </SafeLink>
    );
  }
  if (tag === 'input') return <Fragment {...props}>{given.checked === true ? '[x] ' : '[ ] '}</Fragment>;
  const heading = typeof tag === 'string' ? HEADINGS[tag] : undefined;
  if (heading !== undefined) return createElement(heading, props, ...children);
  const start = tag === 'ol' && typeof given.start === 'number' ? { start: given.start } : {};
  const name: ElementType = ELEMENTS.has(tag) ? (tag as 'p') : Fragment;
  return createElement(name, { ...props, ...start }, ...children);
}

export function Markdown({ text }: { text: string }) {
  const content = useMemo(
    () =>
      compiler(text, {
        disableParsingRawHTML: true,
        disableFrontmatter: true,
        forceBlock: true,
        wrapper: Fragment,
        // The list of `SafeLink` decides; what it refuses is shown as text rather than left out.
        sanitizer: (address) => address,
        createElement: element,
      }),
    [text],
  );
  return <div className="markdown wrap">{content}</div>;
}
