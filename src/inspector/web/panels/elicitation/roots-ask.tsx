import { useState } from 'react';
import { Button } from '../../components/button.js';
import type { AskProps } from './ask-props.js';
import { RefuseButton } from './refuse-button.js';
import { type RootLine, RootLines, toRootLines, toRoots } from './root-lines.js';

export function RootsAsk({ ask, busy, answer }: AskProps<'roots'>) {
  const [lines, setLines] = useState<readonly RootLine[]>(() => toRootLines(ask.current));
  return (
    <div className="stack">
      <p>The server asks for the directories that you work in.</p>
      <RootLines lines={lines} onChange={setLines} />
      <div className="row-wrap">
        <Button
          kind="primary"
          disabled={busy}
          onClick={() => answer({ kind: 'roots', roots: toRoots(lines) })}
        >
          Send the roots
        </Button>
        <RefuseButton busy={busy} answer={answer} />
      </div>
    </div>
  );
}
