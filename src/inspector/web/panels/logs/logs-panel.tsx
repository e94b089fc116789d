/** Logs: log messages and stderr of the servers. */

import { useMemo, useState } from 'react';
import { LOG_LEVELS } from '../../../../protocol/model/logging.js';
import type { LogEntry, ServerView } from '../../../api.js';
import { Badge, type Tone } from '../../components/badge.js';
import { EmptyState } from '../../components/empty-state.js';
import { formatTime } from '../../components/format.js';
import { JsonTree } from '../../components/json-tree.js';
import { FailureNotice } from '../../components/notice.js';
import { matches } from '../../components/search.js';
import { SearchField } from '../../components/search-field.js';
import { VirtualList } from '../../components/virtual-list.js';
import { command } from '../../state/api-client.js';
import { useCurrentServer } from '../../state/current-server.js';
import { useInspector } from '../../state/inspector.js';
import { useRowHeight } from '../../state/row-height.js';
import { useCommand } from '../../state/use-command.js';

type Level = LogEntry['level'];

const TONES: Readonly<Record<Level, Tone | undefined>> = {
  debug: undefined,
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'bad',
  critical: 'bad',
  alert: 'bad',
  emergency: 'bad',
};

export function LogsPanel() {
  const server = useCurrentServer();
  const logs = useInspector((state) => state.logs);
  const [search, setSearch] = useState('');
  const [least, setLeast] = useState<Level>('debug');
  const [all, setAll] = useState(false);
  const [selected, setSelected] = useState<number | undefined>();
  const rowHeight = useRowHeight();
  const shown = useMemo(
    () =>
      logs.filter(
        (entry) =>
          (all || entry.server === server?.id) &&
          LOG_LEVELS.indexOf(entry.level) >= LOG_LEVELS.indexOf(least) &&
          (search === '' || matches(search, entry.logger, textOf(entry))),
      ),
    [logs, all, server?.id, least, search],
  );
  const index = selected === undefined ? undefined : shown.findIndex(({ seq }) => seq === selected);
  const entry = index === undefined ? undefined : shown[index];
  return (
    <div className="panel">
      <div className="panel-bar">
        <h1 className="panel-title">Logs</h1>
        <SearchField label="Filter logs" value={search} onChange={setSearch} />
        <label className="row">
          <span className="soft small">At least</span>
          <select
            className="select compact"
            aria-label="Show at least"
            value={least}
            onChange={(event) => setLeast(event.target.value as Level)}
          >
            {LOG_LEVELS.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
        <label className="check">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} />
          All servers
        </label>
        {server && <LevelPicker server={server} />}
      </div>
      {shown.length === 0 ? (
        <EmptyState icon="logs" title={logs.length === 0 ? 'No logs yet' : 'No log matches'}>
          {logs.length === 0
            ? 'Servers send log messages, and programs write to stderr; both appear here as they come.'
            : 'Loosen the filter, or look at all servers.'}
        </EmptyState>
      ) : (
        <VirtualList
          label="Log entries"
          count={shown.length}
          rowHeight={rowHeight}
          selected={index}
          onSelect={(next) => setSelected(shown[next]?.seq)}
          follow={selected === undefined}
          row={(at) => {
            const each = shown[at];
            return each && <LogRow entry={each} />;
          }}
        />
      )}
      {entry && (
        <section className="log-detail" aria-label="Log entry">
          {typeof entry.data === 'string' ? (
            <pre className="pre-wrap wrap">{entry.data}</pre>
          ) : (
            <JsonTree key={entry.seq} value={entry.data} label="Log data" openDepth={3} />
          )}
        </section>
      )}
    </div>
  );
}

function textOf({ data }: LogEntry): string {
  return typeof data === 'string' ? data : JSON.stringify(data);
}

function LogRow({ entry }: { entry: LogEntry }) {
  return (
    <div className="log-row">
      <span className="mono small soft">{formatTime(entry.at)}</span>
      <Badge tone={TONES[entry.level]}>{entry.source === 'stderr' ? 'stderr' : entry.level}</Badge>
      <span className="soft ellipsis log-logger">{entry.logger}</span>
      <span className="mono ellipsis grow">{textOf(entry)}</span>
    </div>
  );
}

/** The level that the server is asked to send. */
function LevelPicker({ server }: { server: ServerView }) {
  const { busy, failure, run } = useCommand();
  return (
    <>
      <label className="row">
        <span className="soft small">Ask {server.name} for</span>
        <select
          className="select compact"
          aria-label="Level asked of the server"
          disabled={busy || server.state !== 'ready'}
          value={server.logLevel ?? ''}
          onChange={(event) =>
            run(() => command('servers.logLevel', { server: server.id, level: event.target.value as Level }))
          }
        >
          <option value="" disabled>
            not asked
          </option>
          {LOG_LEVELS.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </select>
      </label>
      {failure && <FailureNotice failure={failure} />}
    </>
  );
}
