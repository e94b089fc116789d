import { useId, useState } from 'react';
import type { CallTarget, ServerView } from '../../../api.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { toast } from '../../state/toasts.js';
import { useCommand } from '../../state/use-command.js';

/** Keeps a call under a name, in a collection. */
export function SaveCallDialog({
  server,
  target,
  name: suggested,
  onClose,
}: {
  server: ServerView;
  target: CallTarget;
  name: string;
  onClose: () => void;
}) {
  const id = useId();
  const [name, setName] = useState(suggested);
  const saved = useInspector((state) => state.saved);
  const collections = [...new Set(saved.flatMap((call) => call.collection ?? []))];
  const [collection, setCollection] = useState(collections.at(-1) ?? '');
  const { busy, failure, run } = useCommand();
  const submit = async () => {
    const inside = collection.trim() === '' ? {} : { collection: collection.trim() };
    const kept = await run(() => command('calls.save', { name, server: server.id, target, ...inside }));
    if (kept === undefined) return;
    toast('good', `Saved as “${kept.name}”.`);
    onClose();
  };
  return (
    <Dialog title="Save this call" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="field">
          <label htmlFor={id}>Name</label>
          <input id={id} className="input" value={name} onChange={(event) => setName(event.target.value)} />
        </div>
        <div className="field">
          <label htmlFor={`${id}-collection`}>Collection</label>
          <input
            id={`${id}-collection`}
            className="input"
            list={`${id}-collections`}
            placeholder="none"
            value={collection}
            onChange={(event) => setCollection(event.target.value)}
          />
          <datalist id={`${id}-collections`}>
            {collections.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </div>
        {failure && <FailureNotice failure={failure} />}
        <div className="row">
          <Button type="submit" kind="primary" disabled={busy || name === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
