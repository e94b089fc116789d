/** Elicitation and sampling: what servers ask of the user, or of the user's model. */

import { EmptyState } from '../../components/empty-state.js';
import { useInspector } from '../../state/inspector.js';
import { AskCard } from './ask-card.js';

export function ElicitationPanel() {
  const asks = useInspector((state) => state.asks);
  if (asks.length === 0) {
    return (
      <EmptyState icon="asks" title="No elicitation or sampling request">
        When a tool needs a form filled in, a page visited, a model’s answer or the roots, its question waits
        here.
      </EmptyState>
    );
  }
  return (
    <div className="panel-scroll">
      <div className="page stack">
        <h1 className="panel-title">Elicitation and sampling</h1>
        {asks.map((ask) => (
          <AskCard key={ask.id} ask={ask} />
        ))}
      </div>
    </div>
  );
}
