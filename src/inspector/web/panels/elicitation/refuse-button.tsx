import type { AskAnswer } from '../../../api.js';
import { Button } from '../../components/button.js';

/** Answers with an error, whatever was asked. */
export function RefuseButton({ busy, answer }: { busy: boolean; answer: (answer: AskAnswer) => void }) {
  return (
    <Button kind="danger" disabled={busy} onClick={() => answer({ kind: 'refuse' })}>
      Refuse with an error
    </Button>
  );
}
