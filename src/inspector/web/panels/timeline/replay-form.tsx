import { useState } from 'react';
import type { CallOutcome, MessageDetail } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { formatDuration } from '../../components/format.js';
import { JsonEditor } from '../../components/json-editor.js';
import { JsonTree } from '../../components/json-tree.js';
import { isObject, parseJson } from '../../components/json-value.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { newCallId } from '../../state/calls.js';
import { useInspector } from '../../state/inspector.js';
import { routeHash } from '../../state/route.js';
import { useCommand } from '../../state/use-command.js';

/** Sends a recorded request again: as it was, with other params, or to another server. */
export function ReplayForm({ message }: { message: MessageDetail }) {
  const servers = useInspector((state) => state.servers);
  const ready = servers.filter(({ state }) => state === 'ready');
  const original = paramsOf(message.text);
  const [text, setText] = useState(original);
  const [server, setServer] = useState(
    ready.some(({ id }) => id === message.server) ? message.server : (ready[0]?.id ?? ''),
  );
  const [outcome, setOutcome] = useState<CallOutcome | undefined>();
  const { busy, failure, run } = useCommand();
  const written = parseJson(text);
  const params = written.ok && isObject(written.value) ? written.value : undefined;
  const send = async () => {
    const changed = text === original || params === undefined ? {} : { params: { ...params } };
    const answer = await run(() =>
      command('timeline.replay', { callId: newCallId(), seq: message.seq, server, ...changed }),
    );
    setOutcome(answer);
  };
  if (ready.length === 0) return <p className="soft">No server is connected that could be asked.</p>;
  return (
    <div className="stack">
      <label className="row">
        <span className="soft">Send to</span>
        <select
          className="select compact"
          aria-label="Server to send to"
          value={server}
          onChange={(event) => setServer(event.target.value)}
        >
          {ready.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <JsonEditor label="Params" text={text} onChange={setText} />
      <div className="row">
        <Button icon="again" kind="primary" disabled={busy || params === undefined} onClick={send}>
          Replay
        </Button>
      </div>
      {failure && <FailureNotice failure={failure} />}
      {outcome && <ReplayOutcome outcome={outcome} server={server} />}
    </div>
  );
}

/** Without what belongs to the first sending: the connection adds its own. */
function paramsOf(text: string): string {
  const parsed = parseJson(text);
  const params =
    parsed.ok && isObject(parsed.value) && isObject(parsed.value.params) ? parsed.value.params : {};
  const { _meta, ...rest } = params;
  return JSON.stringify(rest, null, 2);
}

function ReplayOutcome({ outcome, server }: { outcome: CallOutcome; server: string }) {
  return (
    <section className="stack-tight" aria-label="Answer to the replay">
      <div className="row-wrap">
        <h3>Answer</h3>
        <Badge tone={outcome.ok ? 'good' : 'bad'}>{outcome.ok ? 'done' : 'failed'}</Badge>
        <Badge>{formatDuration(outcome.durationMs)}</Badge>
        {outcome.group !== undefined && (
          <a href={routeHash('timeline', server, String(outcome.group))}>Its messages</a>
        )}
      </div>
      {outcome.ok ? (
        <JsonTree value={outcome.result} label="Result of the replay" openDepth={3} />
      ) : (
        <FailureNotice failure={outcome.failure} />
      )}
    </section>
  );
}
