import { useEffect, useState } from 'react';
import type { AddServer, Failure, FoundConfig } from '../../../api.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FailureNotice } from '../../components/notice.js';
import { command, failureOf } from '../../state/api-client.js';

/** Servers in the files of other clients. */
export function FoundServers({
  busy,
  onAdd,
}: {
  busy: boolean;
  onAdd: (servers: readonly AddServer[]) => void;
}) {
  const [configs, setConfigs] = useState<readonly FoundConfig[] | undefined>();
  const [failure, setFailure] = useState<Failure | undefined>();
  useEffect(() => {
    command('configs.list', {}).then(
      (answer) => setConfigs(answer.configs),
      (error: unknown) => setFailure(failureOf(error)),
    );
  }, []);
  if (failure) return <FailureNotice failure={failure} />;
  if (configs === undefined) return <p className="soft found-servers">Looking…</p>;
  if (configs.length === 0) {
    return (
      <EmptyState inside icon="search" title="No files of other clients">
        Claude Desktop, Cursor, VS Code and others keep their servers in files; none was found here.
      </EmptyState>
    );
  }
  return (
    <div className="stack found-servers">
      {configs.filter((config) => addable(config).length > 0).length > 1 && (
        <div className="row">
          <p className="grow soft">Servers that several clients have are added once.</p>
          <Button disabled={busy} onClick={() => onAdd(addableOnce(configs))}>
            Add all {addableOnce(configs).length} of all clients
          </Button>
        </div>
      )}
      {configs.map((config) => (
        <section key={config.path} className="stack-tight" aria-label={config.client}>
          <div className="row">
            <h3 className="grow">{config.client}</h3>
            {addable(config).length > 1 && (
              <Button size="small" disabled={busy} onClick={() => onAdd(addable(config))}>
                Add all {addable(config).length}
              </Button>
            )}
          </div>
          <code className="small soft wrap">{config.path}</code>
          {config.problem && <p className="small wrap">{config.problem}</p>}
          <ul className="stack-tight">
            {config.servers.map((server) => (
              <li key={server.name} className="row">
                <div className="grow">
                  <div>{server.name}</div>
                  <div className="small soft ellipsis">{server.problem ?? server.summary}</div>
                </div>
                <Button
                  size="small"
                  disabled={busy || server.problem !== undefined || server.added !== undefined}
                  onClick={() => onAdd([{ kind: 'config', path: config.path, server: server.name }])}
                >
                  {server.added === undefined ? 'Add' : 'Added'}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Those that can be added and are not there yet. */
function addable({ path, servers }: FoundConfig): AddServer[] {
  return servers
    .filter(({ problem, added, disabled }) => problem === undefined && added === undefined && !disabled)
    .map(({ name }) => ({ kind: 'config', path, server: name }));
}

/** Of all clients; the same server in several of them counts once. */
function addableOnce(configs: readonly FoundConfig[]): AddServer[] {
  const seen = new Set<string>();
  return configs.flatMap((config) => {
    const added = addable(config);
    return added.filter((server) => {
      const found = config.servers.find(({ name }) => 'server' in server && name === server.server);
      const key = JSON.stringify([found?.name, found?.summary]);
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  });
}
