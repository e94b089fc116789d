import { useState } from 'react';
import type { ServerView } from '../../../api.js';
import { Button } from '../../components/button.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useCommand } from '../../state/use-command.js';
import { type RootLine, RootLines, toRootLines, toRoots } from './root-lines.js';

/** The roots that a server gets, and whether the page is asked each time. */
export function RootsEditor({ server }: { server: ServerView }) {
  const [lines, setLines] = useState<readonly RootLine[]>(() => toRootLines(server.roots.roots));
  const { busy, failure, run } = useCommand();
  const save = (ask: boolean) =>
    run(() => command('servers.roots', { server: server.id, roots: toRoots(lines), ask }));
  return (
    <div className="stack-tight">
      <RootLines lines={lines} onChange={setLines} />
      <label className="check">
        <input
          type="checkbox"
          checked={server.roots.ask}
          disabled={busy}
          onChange={(event) => save(event.target.checked)}
        />
        Ask me each time instead
      </label>
      <div>
        <Button size="small" disabled={busy} onClick={() => save(server.roots.ask)}>
          Save the roots
        </Button>
      </div>
      {failure && <FailureNotice failure={failure} />}
    </div>
  );
}
