import { useState } from 'react';
import type { ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { formatTime } from '../../components/format.js';
import { Icon } from '../../components/icon.js';
import { JsonTree } from '../../components/json-tree.js';
import { Markdown } from '../../components/markdown.js';
import { FailureNotice } from '../../components/notice.js';
import { SafeLink } from '../../components/safe-link.js';
import { Starting } from '../../components/starting.js';
import { command } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { goTo, routeHash } from '../../state/route.js';
import { useCommand } from '../../state/use-command.js';
import { RootsEditor } from '../elicitation/roots-editor.js';
import { EditServerDialog } from './edit-server.js';
import { RenameButton } from './rename-button.js';
import { ServerHealthCard } from './server-health.js';
import { ServerStderr } from './server-stderr.js';
import { addressText, stateTone, stateWord } from './server-words.js';

export function ServerDetail({ server }: { server: ServerView }) {
  const { busy, failure, run } = useCommand();
  const [editing, setEditing] = useState(false);
  const { id, session } = server;
  const connected = !['idle', 'closed'].includes(server.state);
  return (
    <div className="detail stack">
      <a className="back-link small" href={routeHash('servers')}>
        <Icon name="back" /> All servers
      </a>
      <div className="row-wrap">
        <h1 className="panel-title wrap">{server.name}</h1>
        <RenameButton server={server} />
        <Badge tone={stateTone(server.state)}>{stateWord(server)}</Badge>
        {session && <Badge tone="info">{session.revision}</Badge>}
        {session && <Badge>{session.era} era</Badge>}
        {session && <Badge>{session.transport}</Badge>}
      </div>
      <code className="wrap soft">{addressText(server)}</code>
      <div className="row-wrap">
        <Button
          icon="again"
          kind="primary"
          disabled={busy}
          onClick={() => run(() => command('servers.connect', { server: id }))}
        >
          {connected ? 'Reconnect' : 'Connect'}
        </Button>
        {connected && (
          <Button disabled={busy} onClick={() => run(() => command('servers.disconnect', { server: id }))}>
            Disconnect
          </Button>
        )}
        <RevisionPicker
          server={server}
          onPin={(revision) => run(() => command('servers.pin', { server: id, revision }))}
        />
        <Button icon="gear" onClick={() => setEditing(true)}>
          Settings
        </Button>
        <Button
          icon="copy"
          disabled={busy}
          onClick={() =>
            run(async () => {
              const copy = await command('servers.duplicate', { server: id });
              goTo(routeHash('servers', copy.id));
            })
          }
        >
          Duplicate
        </Button>
        <Button
          icon="trash"
          kind="danger"
          disabled={busy}
          onClick={() =>
            run(async () => {
              await command('servers.remove', { server: id });
              goTo(routeHash('servers'));
            })
          }
        >
          Remove
        </Button>
      </div>
      {editing && <EditServerDialog server={server} onClose={() => setEditing(false)} />}
      {(server.state === 'starting' || server.state === 'initializing') && (
        <Starting inside server={server} />
      )}
      {failure && <FailureNotice failure={failure} />}
      {server.failure && <FailureNotice failure={server.failure} />}
      {server.failure?.needsLogin && (
        <a className="button" data-kind="primary" href={routeHash('auth', id)}>
          Log in
        </a>
      )}
      <div className="cards">
        <AboutCard server={server} />
        <CapabilitiesCard server={server} />
        <ServerHealthCard server={server} />
        <section className="card" aria-label="Roots">
          <div className="card-head">
            <h2>Roots</h2>
          </div>
          <RootsEditor server={server} />
        </section>
        <HistoryCard server={server} />
        {server.address.kind === 'command' && <ServerStderr server={id} />}
      </div>
    </div>
  );
}

function RevisionPicker({ server, onPin }: { server: ServerView; onPin: (revision: string | null) => void }) {
  const revisions = useInspector((state) => state.revisions);
  return (
    <label className="row">
      <span className="soft">Revision</span>
      <select
        className="select compact"
        aria-label="Revision"
        value={server.pinned ?? ''}
        onChange={(event) => onPin(event.target.value === '' ? null : event.target.value)}
      >
        <option value="">newest of both</option>
        {revisions.map(({ version, era }) => (
          <option key={version} value={version}>
            {version} ({era})
          </option>
        ))}
      </select>
    </label>
  );
}

function AboutCard({ server }: { server: ServerView }) {
  const info = server.session?.server;
  return (
    <section className="card stack" aria-label="About">
      <h2>About</h2>
      {info === undefined ? (
        <p className="soft">The server has not introduced itself.</p>
      ) : (
        <dl className="facts">
          <dt>Name</dt>
          <dd>
            {info.title ?? info.name} <span className="soft">{info.version}</span>
          </dd>
          {info.description && (
            <>
              <dt>Description</dt>
              <dd>{info.description}</dd>
            </>
          )}
          {info.websiteUrl && (
            <>
              <dt>Website</dt>
              <dd>
                <SafeLink address={info.websiteUrl} />
              </dd>
            </>
          )}
        </dl>
      )}
      {server.session?.instructions && (
        <div className="stack-tight">
          <h3>Instructions</h3>
          <Markdown text={server.session.instructions} />
        </div>
      )}
    </section>
  );
}

function CapabilitiesCard({ server }: { server: ServerView }) {
  const capabilities = server.session?.capabilities;
  return (
    <section className="card" aria-label="Capabilities">
      <div className="card-head">
        <h2>Capabilities</h2>
      </div>
      {capabilities === undefined ? (
        <p className="soft">Known once the server is connected.</p>
      ) : (
        <JsonTree value={capabilities} label="Capabilities" openDepth={3} />
      )}
    </section>
  );
}

function HistoryCard({ server }: { server: ServerView }) {
  return (
    <section className="card" aria-label="Connection">
      <div className="card-head">
        <h2>Connection</h2>
      </div>
      {server.history.length === 0 && <p className="soft">Nothing has happened yet.</p>}
      <ol className="history">
        {[...server.history].reverse().map((step) => (
          <li key={`${step.at}-${step.state}`} className="row">
            <span className="mono soft small">{formatTime(step.at)}</span>
            <span className="dot" data-tone={stateTone(step.state)} aria-hidden="true" />
            <span>{step.state}</span>
            {step.failure && <span className="soft small wrap grow">{step.failure.message}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
