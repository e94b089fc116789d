import type { InspectedCatalogue, InspectedTask, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { Icon } from '../../components/icon.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { placeOf, runCall, useOutcome, useRunningCall } from '../../state/calls.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { useCatalogue } from '../../state/use-catalogue.js';
import { useCommand } from '../../state/use-command.js';
import { CallProgressView } from '../tools/call-progress.js';
import { ToolResult } from '../tools/tool-result.js';
import { isUnderWay, keptUntil, STATUS_TONES } from './task-words.js';

type Tool = InspectedCatalogue['tools']['items'][number];

export function TaskDetail({ server, task }: { server: ServerView; task: InspectedTask }) {
  const { id, status, message, tool, callId, failure } = task;
  const running = useRunningCall(callId);
  const outcome = useOutcome(running === undefined ? callId : undefined);
  const listed = useCatalogue(server)?.catalogue?.tools.items.find(({ name }) => name === tool);
  const known: Tool = listed ?? { name: tool ?? id, inputSchema: { type: 'object' } };
  const left = outcome !== undefined && !outcome.ok && outcome.left === true;
  return (
    <div className="detail stack">
      <a className="button back" href={routeHash('tasks', server.id)}>
        <Icon name="back" /> All tasks
      </a>
      <div className="stack-tight">
        <div className="row-wrap">
          <h1 className="panel-title wrap">{tool ?? 'Task'}</h1>
          <Badge tone={STATUS_TONES[status]}>{status}</Badge>
        </div>
        <div className="row-wrap">
          <code className="soft wrap">{id}</code>
          <CopyButton compact label="Copy the task id" text={() => id} />
        </div>
        <p className="pre-wrap wrap" aria-live="polite">
          {message ?? ''}
        </p>
      </div>
      {failure && <FailureNotice failure={failure} />}
      {running === undefined && (
        <TaskButtons server={server} task={task} fetched={outcome !== undefined && !left} />
      )}
      {running !== undefined && callId !== undefined && (
        <CallProgressView callId={callId} running={running} />
      )}
      {outcome !== undefined && !left && (
        <ToolResult server={server} tool={known} outcome={outcome} args={{}} />
      )}
      <TaskFacts server={server} task={task} />
      <TaskHistory task={task} />
    </div>
  );
}

function TaskButtons({
  server,
  task,
  fetched,
}: {
  server: ServerView;
  task: InspectedTask;
  /** Its result is shown already. */
  fetched: boolean;
}) {
  const { id, status } = task;
  const { busy, failure, run } = useCommand();
  const underWay = isUnderWay(task);
  const offline = server.state !== 'ready';
  const place = placeOf(server.id, 'task', id);
  const resume = () => {
    void runCall(place, server.id, { kind: 'task', id });
  };
  const cancel = () => run(() => command('tasks.cancel', { server: server.id, id }));
  const forget = () => run(() => command('tasks.forget', { server: server.id, id }));
  return (
    <div className="stack-tight">
      {status === 'input_required' && (
        <Notice tone="warn">The task waits for input. Resume it to see its question and answer it.</Notice>
      )}
      <div className="row-wrap">
        {underWay && (
          <Button icon="play" kind="primary" disabled={busy || offline} onClick={resume}>
            Resume
          </Button>
        )}
        {!underWay && !fetched && status !== 'cancelled' && (
          <Button icon="play" kind="primary" disabled={busy || offline} onClick={resume}>
            Get the result
          </Button>
        )}
        {underWay && (
          <Button icon="stop" kind="danger" disabled={busy || offline} onClick={cancel}>
            Cancel the task
          </Button>
        )}
        <Button icon="close" disabled={busy} onClick={forget}>
          Remove from the list
        </Button>
      </div>
      {failure && <FailureNotice failure={failure} />}
    </div>
  );
}

function TaskFacts({ server, task }: { server: ServerView; task: InspectedTask }) {
  const { tool, createdAt, updatedAt, pollIntervalMs, callId } = task;
  const group = useInspector(({ past }) => past.find((call) => call.callId === callId)?.group);
  return (
    <dl className="facts">
      {tool !== undefined && (
        <>
          <dt>Tool</dt>
          <dd>
            <a href={routeHash('tools', server.id, tool)}>{tool}</a>
            {group !== undefined && (
              <>
                {' · '}
                <a href={routeHash('timeline', server.id, String(group), { group: String(group) })}>
                  messages of the call
                </a>
              </>
            )}
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>{shownTime(createdAt)}</dd>
      <dt>Last update</dt>
      <dd>{shownTime(updatedAt)}</dd>
      <dt>Time to live</dt>
      <dd>{keptUntil(task)}</dd>
      <dt>Poll interval</dt>
      <dd>{pollIntervalMs === undefined ? 'not given' : formatDuration(pollIntervalMs)}</dd>
    </dl>
  );
}

function TaskHistory({ task: { history } }: { task: InspectedTask }) {
  return (
    <section className="stack-tight" aria-label="Status history">
      <h2>Status history</h2>
      <ol className="history">
        {history.map(({ at, status, message }) => (
          <li key={`${at} ${status} ${message ?? ''}`} className="row">
            <span className="mono small soft">{formatTime(at)}</span>
            <Badge tone={STATUS_TONES[status]}>{status}</Badge>
            <span className="wrap">{message}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function shownTime(iso: string | undefined): string {
  const at = Date.parse(iso ?? '');
  return Number.isNaN(at) ? 'not given' : formatTime(at);
}
