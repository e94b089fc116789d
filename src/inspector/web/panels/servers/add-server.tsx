/** A server to add: by URL, by command, pasted, or from another client's file. */

import { useId, useState } from 'react';
import type { AddServer } from '../../../api.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { plural } from '../../components/format.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { Tabs } from '../../components/tabs.js';
import { command } from '../../state/api-client.js';
import { goTo, routeHash } from '../../state/route.js';
import { useCommand } from '../../state/use-command.js';
import { FoundServers } from './found-servers.js';
import { parsePasted } from './pasted.js';
import { NEW_SERVER, type ServerDraft, serverOf } from './server-draft.js';
import { ServerForm } from './server-form.js';

type Way = 'url' | 'command' | 'paste' | 'config';

const WAYS = [
  { name: 'url', label: 'URL' },
  { name: 'command', label: 'Command' },
  { name: 'paste', label: 'Paste' },
  { name: 'config', label: 'On this machine' },
] as const;

export function AddServerDialog({ onClose }: { onClose: () => void }) {
  const [way, setWay] = useState<Way>('url');
  const [draft, setDraft] = useState<ServerDraft>(NEW_SERVER);
  const { busy, failure, run } = useCommand();
  const add = async (servers: readonly AddServer[]) => {
    const added = await run(async () => {
      const views = [];
      for (const server of servers) views.push(await command('servers.add', server));
      return views;
    });
    const [first, ...others] = added ?? [];
    if (first === undefined) return;
    goTo(others.length === 0 ? routeHash('servers', first.id) : routeHash('servers'));
    onClose();
  };
  return (
    <Dialog title="Add a server" onClose={onClose}>
      <div className="stack">
        <Tabs label="Where the server is" tabs={WAYS} selected={way} onSelect={setWay}>
          {(way === 'url' || way === 'command') && (
            <ServerForm
              draft={{ ...draft, kind: way }}
              onChange={setDraft}
              onSubmit={() => add([serverOf({ ...draft, kind: way })])}
            >
              <div className="row">
                <Button type="submit" kind="primary" disabled={busy}>
                  Add and connect
                </Button>
              </div>
            </ServerForm>
          )}
          {way === 'paste' && <PasteForm busy={busy} onAdd={add} />}
          {way === 'config' && <FoundServers busy={busy} onAdd={add} />}
        </Tabs>
        {failure && <FailureNotice failure={failure} />}
      </div>
    </Dialog>
  );
}

function PasteForm({ busy, onAdd }: { busy: boolean; onAdd: (servers: readonly AddServer[]) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const pasted = parsePasted(text);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (pasted.ok) onAdd(pasted.servers);
      }}
    >
      <div className="field">
        <label htmlFor={id}>An mcpServers block, a URL or a command line</label>
        <textarea
          id={id}
          className="textarea mono"
          rows={10}
          spellCheck={false}
          placeholder={
            '{\n  "mcpServers": {\n    "everything": { "command": "npx", "args": ["-y", "…"] }\n  }\n}'
          }
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {text.trim() !== '' && !pasted.ok && <Notice tone="warn">{pasted.message}</Notice>}
      <div className="row">
        <Button type="submit" kind="primary" disabled={busy || !pasted.ok}>
          {pasted.ok && pasted.servers.length > 1
            ? `Add ${plural(pasted.servers.length, 'server')} and connect`
            : 'Add and connect'}
        </Button>
      </div>
    </form>
  );
}
