import type { ServerView } from '../../../api.js';
import { Button } from '../../components/button.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useCommand } from '../../state/use-command.js';

export function ServerHealthCard({ server }: { server: ServerView }) {
  const { busy, failure, run } = useCommand();
  const { ping, waiting, strays, faults } = server.health;
  return (
    <section className="card stack-tight" aria-label="Health">
      <div className="card-head">
        <h2 className="grow">Health</h2>
        <Button
          size="small"
          disabled={busy || server.state !== 'ready'}
          onClick={() => run(() => command('servers.ping', { server: server.id }))}
        >
          Ping
        </Button>
      </div>
      <dl className="facts">
        <dt>Last ping</dt>
        <dd>{describePing(ping)}</dd>
        <dt>Waiting</dt>
        <dd>{waiting}</dd>
        <dt>Strays</dt>
        <dd>
          {strays.late} late, {strays.duplicate} twice, {strays.unknown} to nothing, {strays.malformed}{' '}
          malformed
        </dd>
      </dl>
      {failure && <FailureNotice failure={failure} />}
      {faults.length > 0 && (
        <ul className="history">
          {[...faults].reverse().map((fault) => (
            <li key={`${fault.at}-${fault.kind}`} className="wrap">
              <span className="mono soft small">{formatTime(fault.at)}</span> {fault.message}
              {fault.sample && <pre className="small soft wrap pre-wrap">{fault.sample}</pre>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function describePing(ping: ServerView['health']['ping']): string {
  if (ping === undefined) return 'none yet';
  if (ping.failure !== undefined) return `failed: ${ping.failure.message}`;
  return ping.durationMs === undefined ? 'under way' : formatDuration(ping.durationMs);
}
