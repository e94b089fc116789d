/** A server to add: by URL, by command, or from another client's file. */

import { type FormEvent, useId, useState } from 'react';
import type { AddServer } from '../../../api.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FailureNotice } from '../../components/notice.js';
import { Tabs } from '../../components/tabs.js';
import { command } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { goTo, routeHash } from '../../state/route.js';
import { useCommand } from '../../state/use-command.js';
import { splitWords } from './command-line.js';
import { FoundServers } from './found-servers.js';
import { parseLines } from './name-value-lines.js';

type Way = 'url' | 'command' | 'config';

const WAYS = [
  { name: 'url', label: 'URL' },
  { name: 'command', label: 'Command' },
  { name: 'config', label: 'Found on this machine' },
] as const;

export function AddServerDialog({ onClose }: { onClose: () => void }) {
  const [way, setWay] = useState<Way>('url');
  const { busy, failure, run } = useCommand();
  const add = async (server: AddServer) => {
    const added = await run(() => command('servers.add', server));
    if (added === undefined) return;
    goTo(routeHash('servers', added.id));
    onClose();
  };
  return (
    <Dialog title="Add a server" onClose={onClose}>
      <div className="stack">
        <Tabs label="Where the server is" tabs={WAYS} selected={way} onSelect={setWay}>
          {way === 'url' && <UrlForm busy={busy} onAdd={add} />}
          {way === 'command' && <CommandForm busy={busy} onAdd={add} />}
          {way === 'config' && <FoundServers onAdd={add} />}
        </Tabs>
        {failure && <FailureNotice failure={failure} />}
      </div>
    </Dialog>
  );
}

interface FormProps {
  readonly busy: boolean;
  readonly onAdd: (server: AddServer) => void;
}

function UrlForm({ busy, onAdd }: FormProps) {
  const id = useId();
  const [url, setUrl] = useState('');
  const [headers, setHeaders] = useState('');
  const [revision, setRevision] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onAdd({ kind: 'url', url, headers: parseLines(headers, ':'), revision: revision || null });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor={`${id}-url`}>URL</label>
        <input
          id={`${id}-url`}
          className="input"
          type="url"
          required
          placeholder="https://example.com/mcp"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-headers`}>Headers</label>
        <textarea
          id={`${id}-headers`}
          className="textarea mono"
          rows={2}
          placeholder="Authorization: Bearer …"
          value={headers}
          onChange={(event) => setHeaders(event.target.value)}
        />
      </div>
      <RevisionField id={`${id}-revision`} value={revision} onChange={setRevision} />
      <AddButton busy={busy} />
    </form>
  );
}

function CommandForm({ busy, onAdd }: FormProps) {
  const id = useId();
  const [line, setLine] = useState('');
  const [cwd, setCwd] = useState('');
  const [env, setEnv] = useState('');
  const [revision, setRevision] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const [program = '', ...args] = splitWords(line);
    onAdd({
      kind: 'command',
      command: program,
      args,
      env: parseLines(env, '='),
      revision: revision || null,
      ...(cwd === '' ? {} : { cwd }),
    });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="field">
        <label htmlFor={`${id}-line`}>Command</label>
        <input
          id={`${id}-line`}
          className="input mono"
          required
          placeholder="npx -y @modelcontextprotocol/server-everything"
          spellCheck={false}
          value={line}
          onChange={(event) => setLine(event.target.value)}
        />
        <p className="small soft">A program and its arguments; quotes keep words together. No shell runs.</p>
      </div>
      <div className="field">
        <label htmlFor={`${id}-cwd`}>Directory</label>
        <input
          id={`${id}-cwd`}
          className="input mono"
          spellCheck={false}
          value={cwd}
          onChange={(event) => setCwd(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-env`}>Environment</label>
        <textarea
          id={`${id}-env`}
          className="textarea mono"
          rows={2}
          placeholder="NAME=value"
          value={env}
          onChange={(event) => setEnv(event.target.value)}
        />
      </div>
      <RevisionField id={`${id}-revision`} value={revision} onChange={setRevision} />
      <AddButton busy={busy} />
    </form>
  );
}

function RevisionField({
  id,
  value,
  onChange,
}: {
  id: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const revisions = useInspector((state) => state.revisions);
  return (
    <div className="field">
      <label htmlFor={id}>Revision</label>
      <select id={id} className="select" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">the best that both speak</option>
        {revisions.map(({ version, era }) => (
          <option key={version} value={version}>
            {version} ({era})
          </option>
        ))}
      </select>
    </div>
  );
}

function AddButton({ busy }: { busy: boolean }) {
  return (
    <div className="row">
      <Button type="submit" kind="primary" disabled={busy}>
        Add and connect
      </Button>
    </div>
  );
}
