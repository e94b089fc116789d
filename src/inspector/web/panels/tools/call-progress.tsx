import { useEffect, useState } from 'react';
import type { InspectedCall } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/notice.js';
import { ProgressBar } from '../../components/progress-bar.js';
import { cancelCall, extendCall, leaveCall } from '../../state/calls.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { AskCard } from '../elicitation/ask-card.js';
import { STATUS_TONES } from '../tasks/task-words.js';

/** The end of its time is announced this long before it is given up. */
const WARN_MS = 15_000;
const MINUTE_MS = 60_000;

/** A call under way: how far it is, what its server wants to know, how long it is waited for, and a way to stop it. */
export function CallProgressView({
  callId,
  running,
}: {
  callId: string;
  running: InspectedCall | undefined;
}) {
  const asks = useInspector((state) => state.asks);
  const ours = asks.filter((ask) => ask.callId === callId);
  const progress = running?.progress;
  const total = progress?.total;
  const { server, task } = { server: undefined, task: undefined, ...running };
  const status = useInspector(({ tasks }) =>
    tasks.find((known) => known.server === server && known.id === task),
  );
  return (
    <section className="card stack" aria-label="Call under way">
      <div className="row">
        <h2 className="grow">{ours.length > 0 ? 'Waiting for your answer' : 'Running'}</h2>
        {task !== undefined && <Button onClick={() => leaveCall(callId)}>Leave it running</Button>}
        <Button icon="stop" kind="danger" onClick={() => cancelCall(callId)}>
          Cancel
        </Button>
      </div>
      {status && (
        <p className="row-wrap small" aria-live="polite">
          <a href={routeHash('tasks', server, task)}>Task</a>
          <Badge tone={STATUS_TONES[status.status]}>{status.status}</Badge>
          <span className="wrap">{status.message}</span>
        </p>
      )}
      <ProgressBar label="Progress of the call" value={progress?.progress ?? 0} total={total} />
      {(progress !== undefined || status === undefined) && (
        <p className="small soft" aria-live="polite">
          {progress === undefined
            ? 'No progress reported.'
            : `${progress.progress}${total === undefined ? '' : ` of ${total}`} ${progress.message ?? ''}`}
        </p>
      )}
      {running !== undefined && <TimeLeft running={running} />}
      {ours.map((ask) => (
        <AskCard key={ask.id} ask={ask} />
      ))}
    </section>
  );
}

function TimeLeft({ running }: { running: InspectedCall }) {
  const now = useNow();
  const { callId, deadlineAt, startedAt, timeoutMs } = running;
  const elapsed = Math.max(0, Math.round((now - startedAt) / 1_000));
  if (deadlineAt === undefined) {
    const how =
      timeoutMs === 0 ? 'waited for without a limit' : 'the time-out is paused until you have answered';
    return (
      <p className="small soft">
        {elapsed} s, {how}.
      </p>
    );
  }
  const left = Math.max(0, deadlineAt - now);
  const seconds = Math.ceil(left / 1_000);
  const more = (
    <span className="row-wrap">
      <Button size="small" onClick={() => extendCall(callId, MINUTE_MS)}>
        Wait another minute
      </Button>
      <Button size="small" onClick={() => extendCall(callId, 0)}>
        Wait without a limit
      </Button>
    </span>
  );
  if (left > WARN_MS) {
    return (
      <div className="row-wrap">
        <span className="small soft">
          {elapsed} s; given up in {seconds} s without progress.
        </span>
        {more}
      </div>
    );
  }
  return (
    <Notice tone="warn">
      <p>No answer yet. The call is given up in {seconds} s.</p>
      {more}
    </Notice>
  );
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return now;
}
