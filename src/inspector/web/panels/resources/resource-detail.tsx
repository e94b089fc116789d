import { useEffect, useRef } from 'react';
import type { CallOutcome, InspectedCatalogue, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { formatBytes, formatDuration, formatTime } from '../../components/format.js';
import { Icon } from '../../components/icon.js';
import { FailureNotice } from '../../components/notice.js';
import { ResourceContentsView } from '../../components/resource-contents.js';
import { command } from '../../state/api-client.js';
import { placeOf, runCall, usePageCall } from '../../state/calls.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { useCommand } from '../../state/use-command.js';

type Resource = InspectedCatalogue['resources']['items'][number];

export function ResourceDetail({
  server,
  uri,
  resource,
}: {
  server: ServerView;
  uri: string;
  /** Absent for an address that the list does not have. */
  resource: Resource | undefined;
}) {
  return (
    <div className="detail stack">
      <a className="button back" href={routeHash('resources', server.id)}>
        <Icon name="back" /> All resources
      </a>
      <div className="stack-tight">
        <div className="row-wrap">
          <h1 className="panel-title wrap">{resource?.title ?? resource?.name ?? uri}</h1>
          {resource?.mimeType && <Badge>{resource.mimeType}</Badge>}
          {resource?.size !== undefined && <Badge>{formatBytes(resource.size)}</Badge>}
        </div>
        <code className="soft wrap">{uri}</code>
        {resource?.description && <p className="wrap">{resource.description}</p>}
      </div>
      <ResourceReading server={server} uri={uri} />
    </div>
  );
}

/** Reads a resource, and again with every update of its subscription. */
export function ResourceReading({ server, uri }: { server: ServerView; uri: string }) {
  const place = placeOf(server.id, 'resource', uri);
  const call = usePageCall(place);
  const busy = call?.running === true;
  const updates = useInspector((state) => state.updates);
  const ours = updates.filter((update) => update.server === server.id && update.uri.startsWith(uri));
  const latest = ours.at(-1)?.at;
  const ready = server.state === 'ready';
  const known = call !== undefined;
  const readAt = useRef<number | undefined>(undefined);
  // Once at first, and with each update.
  useEffect(() => {
    const changed = latest !== undefined && latest !== readAt.current;
    if (!ready || (known && !changed)) return;
    readAt.current = latest;
    void runCall(place, server.id, { kind: 'resource', uri });
  }, [ready, known, latest, place, server.id, uri]);
  return (
    <>
      <div className="row-wrap">
        <Button
          icon="again"
          disabled={busy || !ready}
          onClick={() => runCall(place, server.id, { kind: 'resource', uri })}
        >
          Read again
        </Button>
        <SubscribeButton server={server} uri={uri} />
        {latest !== undefined && (
          <Badge tone="info">
            updated {ours.length === 1 ? 'once' : `${ours.length} times`}, last at {formatTime(latest)}
          </Badge>
        )}
      </div>
      {call?.outcome && <Contents outcome={call.outcome} />}
    </>
  );
}

function Contents({ outcome }: { outcome: CallOutcome }) {
  if (!outcome.ok) return <FailureNotice failure={outcome.failure} />;
  const { contents } = outcome.result;
  const list = Array.isArray(contents) ? contents : [];
  return (
    <section className="card stack" aria-label="Contents">
      <div className="row-wrap">
        <h2>Contents</h2>
        <Badge>{formatDuration(outcome.durationMs)}</Badge>
      </div>
      {list.length === 0 && <p className="soft">The resource is empty.</p>}
      {list.map((each, index) => (
        // Each reading is shown anew, and its parts have no names of their own.
        <ResourceContentsView key={`${outcome.callId} ${index.toString()}`} contents={each} />
      ))}
    </section>
  );
}

function SubscribeButton({ server, uri }: { server: ServerView; uri: string }) {
  const { busy, failure, run } = useCommand();
  const subscribed = server.subscriptions.includes(uri);
  if (server.session?.capabilities.resources?.subscribe !== true) {
    return <span className="small soft">The server does not support subscriptions.</span>;
  }
  const name = subscribed ? 'resources.unsubscribe' : 'resources.subscribe';
  return (
    <>
      <Button
        icon="bell"
        aria-pressed={subscribed}
        disabled={busy}
        onClick={() => run(() => command(name, { server: server.id, uri }))}
      >
        {subscribed ? 'Subscribed' : 'Subscribe'}
      </Button>
      {failure && <FailureNotice failure={failure} />}
    </>
  );
}
