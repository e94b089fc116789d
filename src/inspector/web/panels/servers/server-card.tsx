/** A server in the overview: how it is, what it has, and what can be done with it. */

import { useState } from 'react';
import type { ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button, IconButton } from '../../components/button.js';
import { formatDuration, plural } from '../../components/format.js';
import { command, failureOf } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { toast } from '../../state/toasts.js';
import { EditServerDialog } from './edit-server.js';
import { addressText, stateTone, stateWord } from './server-words.js';

export function ServerCard({
  server,
  index,
  ids,
}: {
  server: ServerView;
  index: number;
  /** Of all servers, in their order. */
  ids: readonly string[];
}) {
  const [editing, setEditing] = useState(false);
  const { id, name, session } = server;
  const connected = !['idle', 'closed'].includes(server.state);
  const attempt = (work: Promise<unknown>) =>
    work.catch((error: unknown) => toast('bad', failureOf(error).message));
  const move = (step: number) => {
    const others = ids.filter((each) => each !== id);
    attempt(command('servers.order', { servers: others.toSpliced(index + step, 0, id) }));
  };
  return (
    <article className="card stack-tight server-card" aria-label={name}>
      <div className="row">
        <span className="dot" data-tone={stateTone(server.state)} aria-hidden="true" />
        <h2 className="ellipsis grow">
          <a href={routeHash(server.state === 'ready' ? 'tools' : 'servers', id)}>{name}</a>
        </h2>
        <Badge tone={stateTone(server.state)}>{stateWord(server)}</Badge>
      </div>
      <code className="small soft ellipsis" title={addressText(server)}>
        {addressText(server)}
      </code>
      <div className="row-wrap small">
        {session && <Badge tone="info">{session.revision}</Badge>}
        {session && <Badge>{session.transport}</Badge>}
        <Offers server={server} />
      </div>
      <Health server={server} />
      {server.failure && <p className="small server-card-failure wrap">{server.failure.message}</p>}
      <div className="row-wrap server-card-actions">
        <Button
          size="small"
          {...(connected ? {} : { kind: 'primary' as const })}
          onClick={() =>
            attempt(command(connected ? 'servers.disconnect' : 'servers.connect', { server: id }))
          }
        >
          {connected ? 'Disconnect' : 'Connect'}
        </Button>
        <a className="button" data-size="small" href={routeHash('servers', id)}>
          Details
        </a>
        <span className="grow" />
        <IconButton icon="gear" size="small" label={`Settings of ${name}`} onClick={() => setEditing(true)} />
        <IconButton
          icon="copy"
          size="small"
          label={`Duplicate ${name}`}
          onClick={() => attempt(command('servers.duplicate', { server: id }))}
        />
        <IconButton
          icon="up"
          size="small"
          label={`Move ${name} up`}
          disabled={index === 0}
          onClick={() => move(-1)}
        />
        <IconButton
          icon="down"
          size="small"
          label={`Move ${name} down`}
          disabled={index === ids.length - 1}
          onClick={() => move(1)}
        />
        <IconButton
          icon="trash"
          size="small"
          label={`Remove ${name}`}
          onClick={() => attempt(command('servers.remove', { server: id }))}
        />
      </div>
      {editing && <EditServerDialog server={server} onClose={() => setEditing(false)} />}
    </article>
  );
}

/** What it declares, or how much of it there is once that is known. */
function Offers({ server }: { server: ServerView }) {
  const catalogue = useInspector((state) => state.catalogues[server.id]?.catalogue);
  const { tools, resources, prompts } = server.session?.capabilities ?? {};
  if (catalogue !== undefined) {
    return (
      <span className="soft">
        {plural(catalogue.tools.items.length, 'tool')}, {plural(catalogue.resources.items.length, 'resource')}
        , {plural(catalogue.prompts.items.length, 'prompt')}
      </span>
    );
  }
  const declared = [tools && 'tools', resources && 'resources', prompts && 'prompts'].filter(Boolean);
  return <span className="soft">{declared.join(', ')}</span>;
}

function Health({ server }: { server: ServerView }) {
  const figures = useInspector((state) =>
    state.figures.find((each) => each.server === server.id && each.hop === 'direct'),
  );
  const { strays, faults } = server.health;
  const odd = strays.late + strays.duplicate + strays.unknown + strays.malformed;
  if (figures === undefined) return null;
  return (
    <p className="small soft">
      {plural(figures.requests, 'request')}, {plural(figures.failures, 'failure')}
      {figures.latency &&
        `, p50 ${formatDuration(figures.latency.p50)}, p95 ${formatDuration(figures.latency.p95)}`}
      {odd > 0 && `, ${plural(odd, 'stray message')}`}
      {faults.length > 0 && `, ${plural(faults.length, 'fault')}`}
    </p>
  );
}
