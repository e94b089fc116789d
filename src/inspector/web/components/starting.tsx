/** A server that starts: how long it takes, and what its program prints meanwhile. */

import { useEffect, useState } from 'react';
import type { ServerView } from '../../api.js';
import { routeHash } from '../state/route.js';
import { ProgressBar } from './progress-bar.js';

const DEFAULT_LIMIT_MS = 60_000;

export function Starting({ server, inside = false }: { server: ServerView; inside?: boolean }) {
  const Title = inside ? 'h2' : 'h1';
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const since = server.history.findLast(({ state }) => state === 'starting')?.at ?? now;
  const elapsed = Math.max(0, Math.round((now - since) / 1_000));
  const limit = (server.settings.startTimeoutMs ?? DEFAULT_LIMIT_MS) / 1_000;
  return (
    <section className="empty" aria-label={`Starting ${server.name}`}>
      <Title>Starting {server.name}</Title>
      <ProgressBar label="Starting" value={0} />
      <p aria-live="polite">
        {elapsed} s{server.address.kind === 'command' ? `, waited for up to ${limit} s` : ''}
      </p>
      {server.starting ? <pre className="starting-output small wrap pre-wrap">{server.starting}</pre> : null}
      <a className="small" href={routeHash('servers', server.id)}>
        Connection and settings
      </a>
    </section>
  );
}
