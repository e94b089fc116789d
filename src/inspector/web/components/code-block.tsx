import { CopyButton } from './copy-button.js';

/** Text as it is, that can be copied. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
      <div className="code-copy">
        <CopyButton compact label={`Copy: ${label}`} text={() => text} />
      </div>
    </div>
  );
}
