/** How far something is; without a total only that it moves. */
export function ProgressBar({
  label,
  value,
  total,
}: {
  label: string;
  value: number;
  total?: number | undefined;
}) {
  const known = total !== undefined && total > 0;
  const percent = known ? Math.max(0, Math.min(100, (value / total) * 100)) : undefined;
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent === undefined ? undefined : Math.round(percent)}
      data-unknown={!known}
    >
      <div style={percent === undefined ? undefined : { width: `${percent}%` }} />
    </div>
  );
}
