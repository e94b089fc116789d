import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.js';

/** What a place says while it has nothing to show: why, and what to do about it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
  inside = false,
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  /** It stands below a heading of the panel, instead of being all of it. */
  inside?: boolean;
}) {
  const Title = inside ? 'h2' : 'h1';
  return (
    <div className="empty">
      <Icon name={icon} />
      <Title>{title}</Title>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}
