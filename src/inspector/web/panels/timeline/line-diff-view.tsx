import { diffLines } from '../../components/line-diff.js';

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

/** Two texts line by line, with what differs marked. */
export function LineDiffView({
  before,
  after,
  label = 'Differences',
}: {
  before: string;
  after: string;
  label?: string;
}) {
  const lines = diffLines(before, after);
  const changed = lines.filter(({ kind }) => kind !== 'same').length;
  return (
    <div className="stack-tight">
      <p className="soft">{changed === 0 ? 'They are the same.' : `${changed} lines differ.`}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className="diff mono" tabIndex={0} aria-label={label}>
        {lines.map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names
          <div key={index} className="diff-line" data-kind={kind}>
            {SIGNS[kind]} {text}
          </div>
        ))}
      </section>
    </div>
  );
}
