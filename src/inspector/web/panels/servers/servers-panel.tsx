/** Servers: an overview with the health of each, or one of them with its connection and settings. */

import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { showAddDialog } from '../../state/add-dialog.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash, useRoute } from '../../state/route.js';
import { ServerCard } from './server-card.js';
import { ServerDetail } from './server-detail.js';

export function ServersPanel() {
  const servers = useInspector((state) => state.servers);
  const chains = useInspector((state) => state.chains);
  const route = useRoute();
  const chosen = servers.find(({ id }) => id === route.server);
  if (chosen !== undefined) {
    return (
      <section className="panel-scroll" aria-label={`Server ${chosen.name}`}>
        <ServerDetail key={chosen.id} server={chosen} />
      </section>
    );
  }
  if (servers.length === 0) {
    return (
      <EmptyState
        icon="servers"
        title="No server yet"
        action={
          <div className="row-wrap">
            <Button icon="plus" kind="primary" onClick={() => showAddDialog(true)}>
              Add your first server
            </Button>
            {chains.length > 0 && (
              <a className="button" href={routeHash('timeline')}>
                Watch the chain
              </a>
            )}
          </div>
        }
      >
        Give a URL or a command, paste the configuration of a client, or pick a server that another client on
        this machine uses.
      </EmptyState>
    );
  }
  return (
    <section className="panel-scroll" aria-label="Servers">
      <div className="page stack">
        <h1 className="panel-title">Servers</h1>
        <ol className="server-cards">
          {servers.map((server, index) => (
            <li key={server.id}>
              <ServerCard server={server} index={index} ids={servers.map(({ id }) => id)} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
