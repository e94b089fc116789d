import type { RunningCall } from '../../../api.js';
import { Button } from '../../components/button.js';
import { ProgressBar } from '../../components/progress-bar.js';
import { cancelCall } from '../../state/calls.js';
import { useInspector } from '../../state/inspector.js';
import { AskCard } from '../elicitation/ask-card.js';

/** A call under way: how far it is, what its server wants to know, and a way to stop it. */
export function CallProgressView({ callId, running }: { callId: string; running: RunningCall | undefined }) {
  const asks = useInspector((state) => state.asks);
  const ours = asks.filter((ask) => ask.callId === callId);
  const progress = running?.progress;
  const total = progress?.total;
  return (
    <section className="card stack" aria-label="Call under way">
      <div className="row">
        <h2 className="grow">{ours.length > 0 ? 'Waiting for your answer' : 'Running'}</h2>
        <Button icon="stop" kind="danger" onClick={() => cancelCall(callId)}>
          Cancel
        </Button>
      </div>
      <ProgressBar label="Progress of the call" value={progress?.progress ?? 0} total={total} />
      <p className="small soft" aria-live="polite">
        {progress === undefined
          ? 'No progress reported.'
          : `${progress.progress}${total === undefined ? '' : ` of ${total}`} ${progress.message ?? ''}`}
      </p>
      {ours.map((ask) => (
        <AskCard key={ask.id} ask={ask} />
      ))}
    </section>
  );
}
