import { useState } from 'react';
import { toast } from '../state/toasts.js';
import { Button, IconButton } from './button.js';

const SHOWN_MS = 1_500;

/** Copies a text; computed only when it is wanted. */
export function CopyButton({
  text,
  label,
  compact = false,
}: {
  text: () => string;
  label: string;
  compact?: boolean;
}) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setDone(true);
      setTimeout(() => setDone(false), SHOWN_MS);
    } catch {
      toast('bad', 'The browser did not let the page write to the clipboard.');
    }
  };
  const icon = done ? 'check' : 'copy';
  if (compact) return <IconButton icon={icon} label={label} size="small" onClick={copy} />;
  return (
    <Button icon={icon} size="small" onClick={copy}>
      {label}
    </Button>
  );
}
