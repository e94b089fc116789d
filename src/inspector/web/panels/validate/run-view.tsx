import { useState } from 'react';
import type { CommandParams, ComplyFinding, ComplyRevision, ComplyRun } from '../../../api.js';
import { Badge, type Tone } from '../../components/badge.js';
import { formatDuration, plural } from '../../components/format.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { ProgressBar } from '../../components/progress-bar.js';
import { download, failureOf } from '../../state/api-client.js';
import { routeHash } from '../../state/route.js';
import { toast } from '../../state/toasts.js';
import { FindingView } from './finding-view.js';
import { OutcomeTable } from './outcome-table.js';

type Format = CommandParams<'comply.report'>['format'];

const FORMATS: readonly Format[] = ['html', 'markdown', 'json', 'junit', 'sarif', 'tap', 'text', 'badge'];

const LEVEL_TONES: Readonly<Record<ComplyRevision['level'], Tone>> = {
  complete: 'good',
  compliant: 'good',
  partial: 'warn',
  failing: 'bad',
};

export function RunView({ run }: { run: ComplyRun }) {
  return (
    <div className="stack">
      <section className="card stack" aria-label="Run">
        <div className="row-wrap">
          <h2>{run.state === 'running' ? 'Running' : 'Verdict'}</h2>
          {run.score !== undefined && <span className="score">{Math.round(run.score)} %</span>}
          {run.level && <Badge tone={LEVEL_TONES[run.level]}>{run.level}</Badge>}
          {run.state === 'stopped' && <Badge tone="warn">stopped</Badge>}
          {run.elapsedMs !== undefined && <Badge>{formatDuration(run.elapsedMs)}</Badge>}
          <a href={routeHash('timeline', run.server, undefined, { run: run.id })}>Its traffic</a>
          {run.state !== 'running' && <ReportPicker run={run.id} />}
        </div>
        {run.state === 'running' && (
          <>
            <ProgressBar
              label="Progress of the run"
              value={run.progress?.done ?? 0}
              total={run.progress?.total}
            />
            <p className="small soft wrap progress-line">
              {run.progress
                ? `${run.progress.revision}: ${run.progress.done} of ${run.progress.total}, ${run.progress.title}`
                : 'Starting'}
            </p>
          </>
        )}
        {run.failure && <FailureNotice failure={run.failure} />}
        {run.revisions.length > 0 && <Revisions revisions={run.revisions} />}
      </section>
      <Findings run={run} />
      {run.revisions.map((revision) => (
        <OutcomeTable key={revision.revision} revision={revision} />
      ))}
    </div>
  );
}

function ReportPicker({ run }: { run: string }) {
  const [format, setFormat] = useState<Format>('html');
  const save = () =>
    download('comply.report', { run, format }).catch((error: unknown) =>
      toast('bad', failureOf(error).message),
    );
  return (
    <span className="row report-picker">
      <select
        className="select compact"
        aria-label="Format of the report"
        value={format}
        onChange={(event) => setFormat(event.target.value as Format)}
      >
        {FORMATS.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <button type="button" className="button" onClick={save}>
        Save the report
      </button>
    </span>
  );
}

function Revisions({ revisions }: { revisions: readonly ComplyRevision[] }) {
  return (
    <ul className="revision-scores">
      {revisions.map(({ revision, score, level, passed, failed, skipped }) => (
        <li key={revision} className="stack-tight">
          <div className="row-wrap">
            <strong>{revision}</strong>
            <Badge tone={LEVEL_TONES[level]}>{level}</Badge>
          </div>
          <ProgressBar label={`Score in ${revision}`} value={score} total={100} />
          <span className="small soft">
            {passed} passed, {failed} failed, {skipped} not applicable
          </span>
        </li>
      ))}
    </ul>
  );
}

function Findings({ run }: { run: ComplyRun }) {
  const { findings } = run;
  if (findings.length === 0) {
    if (run.state !== 'done') return null;
    return <Notice tone="good">Nothing was found wrong.</Notice>;
  }
  return (
    <section className="stack" aria-label="Findings">
      <h2>{plural(findings.length, 'finding')}</h2>
      {findings.map((finding: ComplyFinding, index) => (
        // The same requirement can fail several times in one revision.
        <FindingView
          key={`${finding.id} ${finding.revision} ${index.toString()}`}
          finding={finding}
          server={run.server}
        />
      ))}
    </section>
  );
}
