/** A list on the left, and what is selected of it on the right; on a narrow screen, one of the two. */

import type { ReactNode } from 'react';

interface SplitViewProps {
  /** What is listed: "Tools". */
  readonly label: string;
  /** Shows the detail where there is no room for both: the address names an item. */
  readonly open: boolean;
  /** Search and counts, which stay when the list scrolls. */
  readonly head?: ReactNode;
  readonly list: ReactNode;
  readonly detail: ReactNode;
  /** What is shown on the right: "Tool echo". */
  readonly detailLabel: string;
  readonly className?: string;
}

export function SplitView({ label, open, head, list, detail, detailLabel, className }: SplitViewProps) {
  return (
    <div className={className === undefined ? 'split' : `split ${className}`} data-open={open}>
      <section className="split-list" aria-label={label}>
        {head}
        <div className="split-items">{list}</div>
      </section>
      <section className="split-detail" aria-label={detailLabel}>
        {detail}
      </section>
    </div>
  );
}
