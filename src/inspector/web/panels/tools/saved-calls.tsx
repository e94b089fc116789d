import type { SavedCall, ServerView } from '../../../api.js';
import { IconButton } from '../../components/button.js';
import { command, failureOf } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { toast } from '../../state/toasts.js';

/** Calls that were kept for this server. */
export function SavedCalls({ server }: { server: ServerView }) {
  const saved = useInspector((state) => state.saved);
  const ours = saved.filter((call) => call.server === server.name && call.target.kind === 'tool');
  if (ours.length === 0) return null;
  return (
    <section className="saved-calls" aria-label="Saved calls">
      <h2 className="small soft">Saved calls</h2>
      <ul>
        {ours.map((call) => (
          <li key={call.id} className="row">
            <a className="item grow" href={routeHash('tools', server.id, toolOf(call), { saved: call.id })}>
              <span className="ellipsis">{call.name}</span>
              <span className="soft">{toolOf(call)}</span>
            </a>
            <IconButton
              icon="trash"
              size="small"
              label={`Forget ${call.name}`}
              onClick={() => forget(call)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function forget({ id }: SavedCall): void {
  command('calls.forget', { id }).catch((error: unknown) => toast('bad', failureOf(error).message));
}

function toolOf({ target }: SavedCall): string {
  return target.kind === 'tool' ? target.name : '';
}
