/** The traffic of the current server, docked beside the panel: what a call does, without leaving it. */

import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';
import type { MessageFilter } from '../../../api.js';
import { Button, IconButton } from '../../components/button.js';
import { plural } from '../../components/format.js';
import { SearchField } from '../../components/search-field.js';
import { useCurrentServer } from '../../state/current-server.js';
import { setDrawer, toggleDrawer, useDrawer } from '../../state/drawer.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { ExchangeRow } from './exchange-row.js';
import { TrafficList } from './traffic-list.js';

export function TrafficDrawer() {
  const drawer = useDrawer();
  const total = useInspector((state) => state.timeline.messages);
  const server = useCurrentServer();
  if (!drawer.open) {
    return (
      <div className="drawer-closed">
        <Button icon="timeline" size="small" aria-expanded={false} onClick={toggleDrawer}>
          Traffic
        </Button>
        <span className="small soft">{plural(total, 'message')}</span>
      </div>
    );
  }
  const size = drawer.dock === 'bottom' ? { height: drawer.height } : { width: drawer.width };
  return (
    <aside className="drawer" aria-label="Traffic" style={size}>
      <Grip />
      <Docked key={server?.id} server={server?.id} />
    </aside>
  );
}

function Docked({ server }: { server: string | undefined }) {
  const drawer = useDrawer();
  const [seq, setSeq] = useState<number | undefined>();
  const [follow, setFollow] = useState(true);
  const [failedOnly, setFailedOnly] = useState(false);
  const [text, setText] = useState('');
  const filter = useMemo<MessageFilter>(
    () => ({
      ...(server === undefined ? {} : { servers: [server] }),
      ...(failedOnly ? { failedOnly } : {}),
      ...(text.trim() === '' ? {} : { text: text.trim() }),
    }),
    [server, failedOnly, text],
  );
  return (
    <>
      <div className="drawer-bar">
        <h2>Traffic</h2>
        <SearchField label="Filter the traffic" value={text} onChange={setText} main={false} />
        <label className="check small">
          <input
            type="checkbox"
            checked={failedOnly}
            onChange={(event) => setFailedOnly(event.target.checked)}
          />
          Failures
        </label>
        <Button size="small" aria-pressed={follow} onClick={() => setFollow(!follow)}>
          Follow
        </Button>
        <a className="small" href={routeHash('timeline', server)}>
          All traffic
        </a>
        <span className="grow" />
        <IconButton
          icon={drawer.dock === 'bottom' ? 'dockRight' : 'dockBottom'}
          size="small"
          label={
            drawer.dock === 'bottom' ? 'Dock the traffic at the right' : 'Dock the traffic at the bottom'
          }
          onClick={() => setDrawer({ dock: drawer.dock === 'bottom' ? 'right' : 'bottom' })}
        />
        <IconButton icon="close" size="small" label="Close the traffic drawer" onClick={toggleDrawer} />
      </div>
      <TrafficList
        label="Traffic"
        filter={filter}
        rows="exchanges"
        Row={ExchangeRow}
        empty={<p className="soft small drawer-empty">Nothing yet. Calls appear here as they are made.</p>}
        seq={seq}
        follow={follow}
        onFollow={setFollow}
        onOpen={(message) => {
          setSeq(message?.seq);
          // Back to what happens now.
          if (message === undefined) setFollow(true);
        }}
      />
    </>
  );
}

const STEP = 24;

/** The edge that changes the size, with the pointer or the arrow keys. */
function Grip() {
  const { dock, height, width } = useDrawer();
  const resize = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.parentElement?.getBoundingClientRect();
    if (box === undefined) return;
    setDrawer(
      dock === 'bottom' ? { height: box.bottom - event.clientY } : { width: box.right - event.clientX },
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const larger = dock === 'bottom' ? 'ArrowUp' : 'ArrowLeft';
    const smaller = dock === 'bottom' ? 'ArrowDown' : 'ArrowRight';
    if (event.key !== larger && event.key !== smaller) return;
    event.preventDefault();
    const step = event.key === larger ? STEP : -STEP;
    setDrawer(dock === 'bottom' ? { height: height + step } : { width: width + step });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      className="drawer-grip"
      role="separator"
      tabIndex={0}
      aria-label={dock === 'bottom' ? 'Height of the traffic drawer' : 'Width of the traffic drawer'}
      aria-orientation={dock === 'bottom' ? 'horizontal' : 'vertical'}
      aria-valuenow={Math.round(dock === 'bottom' ? height : width)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={resize}
      onKeyDown={onKeyDown}
    />
  );
}
