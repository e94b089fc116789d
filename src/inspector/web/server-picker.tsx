import { IconButton } from './components/button.js';
import { AddServerDialog } from './panels/servers/add-server.js';
import { stateTone } from './panels/servers/server-words.js';
import { showAddDialog, useAddDialog } from './state/add-dialog.js';
import { useCurrentServer } from './state/current-server.js';
import { useInspector } from './state/inspector.js';
import { goTo, routeHash, useRoute } from './state/route.js';

/** Which server the panels are about, and a way to add another one. */
export function ServerPicker() {
  const adding = useAddDialog();
  return (
    <div className="top-server row">
      <CurrentServer />
      <IconButton icon="plus" label="Add a server" onClick={() => showAddDialog(true)} />
      {adding && <AddServerDialog onClose={() => showAddDialog(false)} />}
    </div>
  );
}

function CurrentServer() {
  const servers = useInspector((state) => state.servers);
  const chains = useInspector((state) => state.chains);
  const { panel } = useRoute();
  const current = useCurrentServer();
  if (current === undefined) {
    const [chain] = chains;
    return <span className="soft">{chain === undefined ? 'No server yet' : `Watching ${chain.name}`}</span>;
  }
  return (
    <>
      <span className="dot" data-tone={stateTone(current.state)} aria-hidden="true" />
      <select
        className="select"
        aria-label="Server"
        value={current.id}
        onChange={(event) => goTo(routeHash(panel, event.target.value))}
      >
        {servers.map(({ id, name, state, session }) => (
          <option key={id} value={id}>
            {name} ({state === 'ready' ? (session?.revision ?? 'ready') : state})
          </option>
        ))}
      </select>
    </>
  );
}
