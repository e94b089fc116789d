/** Servers: who they are, how their connection stands, and another one to add. */

import { useState } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { LinkList } from '../../components/link-list.js';
import { useCurrentServer } from '../../state/current-server.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash, useRoute } from '../../state/route.js';
import { AddServerDialog } from './add-server.js';
import { ServerDetail } from './server-detail.js';
import { addressText, stateTone, stateWord } from './server-words.js';

export function ServersPanel() {
  const servers = useInspector((state) => state.servers);
  const route = useRoute();
  const current = useCurrentServer();
  const [adding, setAdding] = useState(false);
  const add = (
    <Button icon="plus" kind="primary" onClick={() => setAdding(true)}>
      Add a server
    </Button>
  );
  return (
    <>
      {servers.length === 0 || current === undefined ? (
        <EmptyState icon="servers" title="No server yet" action={add}>
          Give a URL, a command to start, or pick a server that another client on this machine uses.
        </EmptyState>
      ) : (
        <div className="split" data-open={route.server !== undefined}>
          <section className="split-list" aria-label="Servers">
            <div className="split-head">{add}</div>
            <div className="split-items">
              <LinkList
                label="Servers"
                selected={current.id}
                items={servers.map((server) => ({
                  key: server.id,
                  href: routeHash('servers', server.id),
                  content: (
                    <>
                      <span className="row">
                        <span className="dot" data-tone={stateTone(server.state)} aria-hidden="true" />
                        <span className="ellipsis grow">{server.name}</span>
                        <span className="small soft">{stateWord(server)}</span>
                      </span>
                      <span className="soft">{addressText(server)}</span>
                    </>
                  ),
                }))}
              />
            </div>
          </section>
          <section className="split-detail" aria-label={`Server ${current.name}`}>
            <ServerDetail key={current.id} server={current} />
          </section>
        </div>
      )}
      {adding && <AddServerDialog onClose={() => setAdding(false)} />}
    </>
  );
}
