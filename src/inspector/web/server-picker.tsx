import { stateTone } from './panels/servers/server-words.js';
import { useCurrentServer } from './state/current-server.js';
import { useInspector } from './state/inspector.js';
import { goTo, routeHash, useRoute } from './state/route.js';

/** Which server the panels are about. */
export function ServerPicker() {
  const servers = useInspector((state) => state.servers);
  const { panel } = useRoute();
  const current = useCurrentServer();
  if (current === undefined) return <div className="top-server soft">No server yet</div>;
  return (
    <div className="top-server row">
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
    </div>
  );
}
