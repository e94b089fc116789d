/** Comply: runs the validator against a server, and shows what it found beside the traffic that shows it. */

import { useState } from 'react';
import type { ComplyRun, ServerView } from '../../../api.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FailureNotice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useCurrentServer } from '../../state/current-server.js';
import { useInspector } from '../../state/inspector.js';
import { useCommand } from '../../state/use-command.js';
import { RunView } from './run-view.js';

export function ValidatePanel() {
  const server = useCurrentServer();
  const runs = useInspector((state) => state.runs);
  const run = runs.findLast((each) => each.server === server?.id);
  if (server === undefined) {
    return (
      <EmptyState icon="comply" title="No server yet">
        The validator checks a server from outside, in every revision that it supports.
      </EmptyState>
    );
  }
  return (
    <div className="panel-scroll">
      <div className="page stack">
        <h1 className="panel-title">Validate {server.name}</h1>
        <StartForm key={server.id} server={server} run={run} />
        {run ? (
          <RunView key={run.id} run={run} />
        ) : (
          <EmptyState inside icon="comply" title="Not validated yet">
            The validator connects to the server by itself, sends it valid and invalid messages, and compares
            the answers with the specification.
          </EmptyState>
        )}
      </div>
    </div>
  );
}

function StartForm({ server, run }: { server: ServerView; run: ComplyRun | undefined }) {
  const revisions = useInspector((state) => state.revisions);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [callTools, setCallTools] = useState(false);
  const starting = useCommand();
  const running = run?.state === 'running';
  const start = () =>
    starting.run(() =>
      command('comply.start', {
        server: server.id,
        callTools,
        ...(chosen.length === 0 ? {} : { revisions: chosen }),
      }),
    );
  const toggle = (version: string, on: boolean) =>
    setChosen(on ? [...chosen, version] : chosen.filter((each) => each !== version));
  return (
    <section className="card stack" aria-label="Run the validator">
      <fieldset className="stack-tight">
        <legend className="field-label">Revisions</legend>
        <div className="row-wrap">
          {revisions.map(({ version }) => (
            <label key={version} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(version)}
                onChange={(event) => toggle(version, event.target.checked)}
              />
              {version}
            </label>
          ))}
        </div>
        <p className="small soft">Default: all that the server supports.</p>
      </fieldset>
      <label className="check">
        <input type="checkbox" checked={callTools} onChange={(event) => setCallTools(event.target.checked)} />
        Call every tool, also those that may change something
      </label>
      <div className="row-wrap">
        <Button kind="primary" icon="play" disabled={running || starting.busy} onClick={start}>
          {run === undefined ? 'Run the validator' : 'Run again'}
        </Button>
        {running && (
          <Button icon="stop" kind="danger" onClick={() => command('comply.stop', { run: run.id })}>
            Stop
          </Button>
        )}
      </div>
      {starting.failure && <FailureNotice failure={starting.failure} />}
    </section>
  );
}
