import type { CallTarget, SavedCall, ServerView } from '../../../api.js';
import { Button, IconButton } from '../../components/button.js';
import { command, download, failureOf } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { toast } from '../../state/toasts.js';
import { titleOf } from './call-history.js';

/** Calls that were kept, by collection; a collection becomes a file for `plumb test`. */
export function Collections({
  server,
  onTake,
}: {
  server: ServerView;
  onTake: (target: CallTarget) => void;
}) {
  const saved = useInspector((state) => state.saved);
  if (saved.length === 0) {
    return (
      <p className="soft small">No saved calls. “Save” keeps a call, and a collection becomes a test file.</p>
    );
  }
  const names = [...new Set(saved.map((call) => call.collection ?? ''))];
  const attempt = (work: Promise<unknown>) =>
    work.catch((error: unknown) => toast('bad', failureOf(error).message));
  return (
    <div className="stack">
      {names.map((name) => (
        <section key={name} className="stack-tight" aria-label={name || 'Without a collection'}>
          <div className="row">
            <h2 className="small grow">{name || 'Without a collection'}</h2>
            <Button
              size="small"
              icon="download"
              onClick={() => attempt(download('calls.export', name === '' ? {} : { collection: name }))}
            >
              plumb test
            </Button>
          </div>
          <ul>
            {saved
              .filter((call) => (call.collection ?? '') === name)
              .map((call) => (
                <SavedLine key={call.id} call={call} here={call.server === server.name} onTake={onTake} />
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function SavedLine({
  call,
  here,
  onTake,
}: {
  call: SavedCall;
  /** It was saved for the server that is shown. */
  here: boolean;
  onTake: (target: CallTarget) => void;
}) {
  return (
    <li className="row">
      <button type="button" className="item grow" onClick={() => onTake(call.target)}>
        <span className="ellipsis">{call.name}</span>
        <span className="soft small ellipsis">
          {titleOf(call.target)}
          {here ? '' : ` (${call.server})`}
        </span>
      </button>
      <IconButton
        icon="trash"
        size="small"
        label={`Forget ${call.name}`}
        onClick={() =>
          command('calls.forget', { id: call.id }).catch((error: unknown) =>
            toast('bad', failureOf(error).message),
          )
        }
      />
    </li>
  );
}
