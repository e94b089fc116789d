/** Shows what a server has once it is there, and until then why it is not. */

import type { ReactNode } from 'react';
import type { InspectedCatalogue, ServerView } from '../../api.js';
import { showAddDialog } from '../state/add-dialog.js';
import { command } from '../state/api-client.js';
import { useCurrentServer } from '../state/current-server.js';
import { loadCatalogue, useInspector } from '../state/inspector.js';
import { routeHash } from '../state/route.js';
import { useCatalogue } from '../state/use-catalogue.js';
import { useCommand } from '../state/use-command.js';
import { Button } from './button.js';
import { EmptyState } from './empty-state.js';
import type { IconName } from './icon.js';
import { FailureNotice } from './notice.js';
import { Starting } from './starting.js';

export function CatalogueGate({
  icon,
  children,
}: {
  icon: IconName;
  children: (server: ServerView, catalogue: InspectedCatalogue) => ReactNode;
}) {
  const server = useCurrentServer();
  const entry = useCatalogue(server);
  if (server === undefined) return <NoServer icon={icon} />;
  if (entry?.catalogue !== undefined) return children(server, entry.catalogue);
  if (server.state !== 'ready') return <NotReady icon={icon} server={server} />;
  if (entry?.problem !== undefined) {
    return (
      <EmptyState
        icon="warning"
        title="The lists could not be fetched"
        action={<Button onClick={() => loadCatalogue(server.id, true)}>Try again</Button>}
      >
        {entry.problem}
      </EmptyState>
    );
  }
  return <EmptyState icon={icon} title="Fetching the lists" />;
}

/** Where a chain is watched, it can be used like any server. */
function NoServer({ icon }: { icon: IconName }) {
  const [chain] = useInspector((state) => state.chains);
  const { busy, failure, run } = useCommand();
  const url = chain?.url;
  return (
    <EmptyState
      icon={icon}
      title="No server yet"
      action={
        <div className="stack">
          <div className="row-wrap">
            <Button icon="plus" onClick={() => showAddDialog(true)}>
              Add your first server
            </Button>
            {chain !== undefined && url !== undefined && (
              <Button
                kind="primary"
                disabled={busy}
                onClick={() => run(() => command('servers.add', { kind: 'url', url, name: chain.name }))}
              >
                Connect to {chain.name}
              </Button>
            )}
          </div>
          {failure && <FailureNotice failure={failure} />}
        </div>
      }
    >
      This panel shows what a server offers.
    </EmptyState>
  );
}

function NotReady({ icon, server }: { icon: IconName; server: ServerView }) {
  const { busy, failure, run } = useCommand();
  if (server.state === 'starting' || server.state === 'initializing') return <Starting server={server} />;
  const connect = (
    <Button
      kind="primary"
      disabled={busy}
      onClick={() => run(() => command('servers.connect', { server: server.id }))}
    >
      Connect
    </Button>
  );
  return (
    <EmptyState
      icon={icon}
      title={`${server.name} is not connected`}
      action={
        <div className="stack">
          {server.failure && <FailureNotice failure={server.failure} />}
          {failure && <FailureNotice failure={failure} />}
          <div className="row-wrap">
            {connect}
            {server.failure?.needsLogin && (
              <a className="button" href={routeHash('auth', server.id)}>
                Log in
              </a>
            )}
            <a className="button" href={routeHash('servers', server.id)}>
              Connection and settings
            </a>
          </div>
        </div>
      }
    >
      {server.state === 'backoff' ? 'Another attempt follows.' : 'Connect it to see what it offers.'}
    </EmptyState>
  );
}
