import { useId, useState } from 'react';
import type { ServerView } from '../../../api.js';
import { Button, IconButton } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useCommand } from '../../state/use-command.js';

export function RenameButton({ server }: { server: ServerView }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [name, setName] = useState(server.name);
  const { busy, failure, run } = useCommand();
  const rename = async () => {
    const renamed = await run(() => command('servers.rename', { server: server.id, name }));
    if (renamed !== undefined) setOpen(false);
  };
  return (
    <>
      <IconButton icon="pencil" size="small" label="Rename the server" onClick={() => setOpen(true)} />
      {open && (
        <Dialog title="Rename the server" onClose={() => setOpen(false)}>
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault();
              void rename();
            }}
          >
            <div className="field">
              <label htmlFor={id}>Name</label>
              <input
                id={id}
                className="input"
                required
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </div>
            {failure && <FailureNotice failure={failure} />}
            <div className="row">
              <Button type="submit" kind="primary" disabled={busy}>
                Rename
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
