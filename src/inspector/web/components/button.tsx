import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.js';

interface Look {
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly size?: 'small';
  readonly icon?: IconName;
}

export function Button({ kind, size, icon, children, ...rest }: ComponentProps<'button'> & Look) {
  return (
    <button type="button" className="button" data-kind={kind} data-size={size} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows an icon only; the label is for screen readers and as a tip. */
export function IconButton({
  icon,
  label,
  kind = 'plain',
  size,
  ...rest
}: ComponentProps<'button'> & Look & { readonly icon: IconName; readonly label: string }) {
  return (
    <button
      type="button"
      className="button"
      data-kind={kind}
      data-size={size}
      data-square="true"
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
