/** The settings of a server: everything that it was added with, to change. */

import { useState } from 'react';
import type { ServerView } from '../../../api.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useCommand } from '../../state/use-command.js';
import { draftOf, serverOf } from './server-draft.js';
import { ServerForm } from './server-form.js';

export function EditServerDialog({ server, onClose }: { server: ServerView; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(server));
  const { busy, failure, run } = useCommand();
  const save = async () => {
    const saved = await run(() => command('servers.edit', { ...serverOf(draft), server: server.id }));
    if (saved !== undefined) onClose();
  };
  return (
    <Dialog title={`Settings of ${server.name}`} onClose={onClose}>
      <div className="stack">
        <ServerForm draft={draft} onChange={setDraft} onSubmit={save}>
          <p className="small soft">
            Values shown as •••••• stay as they are. A connected server is connected again with the new
            settings.
          </p>
          <div className="row">
            <Button type="submit" kind="primary" disabled={busy}>
              Save
            </Button>
            <Button disabled={busy} onClick={onClose}>
              Cancel
            </Button>
          </div>
        </ServerForm>
        {failure && <FailureNotice failure={failure} />}
      </div>
    </Dialog>
  );
}
