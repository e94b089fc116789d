import type { CallTarget, PastCall } from '../../../api.js';
import { Button, IconButton } from '../../components/button.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { command, failureOf } from '../../state/api-client.js';
import { repeatCall } from '../../state/calls.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { useServerName } from '../../state/server-name.js';
import { toast } from '../../state/toasts.js';

/** Calls that were made, the newest first, to look at and to make again. */
export function CallHistory({ onTake }: { onTake: (target: CallTarget) => void }) {
  const past = useInspector((state) => state.past);
  if (past.length === 0)
    return <p className="soft small">No calls yet. Every call is kept here, to make it again.</p>;
  return (
    <div className="stack-tight">
      <ol className="stack-tight" aria-label="Call history">
        {past.toReversed().map((call) => (
          <li key={call.callId}>
            <HistoryLine call={call} onTake={onTake} />
          </li>
        ))}
      </ol>
      <div>
        <Button size="small" icon="trash" onClick={() => command('calls.clear', {})}>
          Clear the history
        </Button>
      </div>
    </div>
  );
}

const TONES = { ok: 'good', error: 'bad', cancelled: undefined, left: undefined } as const;

function HistoryLine({ call, onTake }: { call: PastCall; onTake: (target: CallTarget) => void }) {
  const { target, status, startedAt, durationMs, preview, group } = call;
  const server = useServerName(call.server);
  const again = async () => {
    const outcome = await repeatCall(call);
    if (outcome.ok) toast('good', `${titleOf(target)} again: done in ${formatDuration(outcome.durationMs)}.`);
    else toast('bad', failureOf(new Error(outcome.failure.message)).message);
  };
  return (
    <div className="history-line">
      <button type="button" className="item" onClick={() => onTake(target)}>
        <span className="row">
          <span className="dot" data-tone={TONES[status]} aria-hidden="true" />
          <span className="mono ellipsis grow">{titleOf(target)}</span>
          <span className="mono small soft">{formatDuration(durationMs)}</span>
        </span>
        <span className="soft small ellipsis">{preview || status}</span>
        <span className="soft small ellipsis">
          {formatTime(startedAt)} {server}
        </span>
      </button>
      <span className="row">
        <IconButton icon="again" size="small" label={`Run ${titleOf(target)} again`} onClick={again} />
        {group !== undefined && (
          <a className="small" href={routeHash('timeline', call.server, String(group))}>
            Traffic
          </a>
        )}
      </span>
    </div>
  );
}

export function titleOf(target: CallTarget): string {
  switch (target.kind) {
    case 'tool':
      return `tools/call ${target.name}`;
    case 'prompt':
      return `prompts/get ${target.name}`;
    case 'resource':
      return `resources/read ${target.uri}`;
    case 'task':
      return `tasks/get ${target.id}`;
    default:
      return target.method;
  }
}
