/** Asks: what servers want to know from the user, or from the user's model. */

import { EmptyState } from '../../components/empty-state.js';
import { useInspector } from '../../state/inspector.js';
import { AskCard } from './ask-card.js';

export function AsksPanel() {
  const asks = useInspector((state) => state.asks);
  if (asks.length === 0) {
    return (
      <EmptyState icon="asks" title="Nothing is being asked">
        When a tool needs a form filled in, a page visited, a model’s answer or the roots, its question waits
        here.
      </EmptyState>
    );
  }
  return (
    <div className="panel-scroll">
      <div className="page stack">
        <h1 className="panel-title">Questions</h1>
        {asks.map((ask) => (
          <AskCard key={ask.id} ask={ask} />
        ))}
      </div>
    </div>
  );
}
