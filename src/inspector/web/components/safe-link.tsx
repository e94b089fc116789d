import type { ReactNode } from 'react';
import { linkTarget } from './link-target.js';

/** A link to an address that came from a server: a link only where following it can do no harm. */
export function SafeLink({ address, children }: { address: string; children?: ReactNode }) {
  const target = linkTarget(address);
  if (target === undefined) {
    return (
      <span className="wrap" title="Not a link: only http, https and mailto addresses are.">
        {children} <code className="wrap">{address}</code>
      </span>
    );
  }
  return (
    <a href={target} target="_blank" rel="noopener noreferrer nofollow" className="wrap" title={target}>
      {children ?? address}
    </a>
  );
}
