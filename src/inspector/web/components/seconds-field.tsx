import { useId } from 'react';

/** A time in seconds; empty for the default, 0 for no limit. */
export function SecondsField({
  label,
  value,
  fallback,
  onChange,
}: {
  label: string;
  value: string;
  /** What holds while it is empty. */
  fallback: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span className="row seconds-field">
      <label htmlFor={id} className="small soft">
        {label}
      </label>
      <input
        id={id}
        className="input compact"
        type="number"
        min={0}
        step="any"
        placeholder={fallback}
        value={value}
        title="In seconds. Progress starts it anew; 0 waits without end."
        onChange={(event) => onChange(event.target.value)}
      />
      <span className="small soft">s</span>
    </span>
  );
}

export function toMilliseconds(seconds: string): number | undefined {
  const value = Number(seconds);
  return seconds.trim() === '' || !Number.isFinite(value) || value < 0 ? undefined : value * 1_000;
}
