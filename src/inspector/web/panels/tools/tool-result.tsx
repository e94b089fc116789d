import { appLinkOf } from '../../../../protocol/model/apps.js';
import type { CallOutcome, InspectedCatalogue, ServerView } from '../../../api.js';
import { AppFrame } from '../../apps/app-frame.js';
import { Badge } from '../../components/badge.js';
import { ContentList } from '../../components/content-view.js';
import { CopyButton } from '../../components/copy-button.js';
import { formatDuration } from '../../components/format.js';
import { JsonTree } from '../../components/json-tree.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { checkAgainst } from '../../form/form-validator.js';
import { usePatterns } from '../../form/page-patterns.js';
import { routeHash } from '../../state/route.js';

type Tool = InspectedCatalogue['tools']['items'][number];

export function ToolResult({
  server,
  tool,
  outcome,
  args,
}: {
  server: ServerView;
  tool: Tool;
  outcome: CallOutcome;
  /** What it was called with. */
  args: Readonly<Record<string, unknown>>;
}) {
  const app = appLinkOf(tool).resourceUri;
  const failed = !outcome.ok || outcome.result.isError === true;
  const left = !outcome.ok && outcome.left === true;
  return (
    <section className="card stack" aria-label="Result">
      <div className="row-wrap">
        <h2>Result</h2>
        <Badge tone={left ? 'info' : failed ? 'bad' : 'good'}>{wordOf(outcome)}</Badge>
        <Badge>{formatDuration(outcome.durationMs)}</Badge>
        <span className="grow" />
        {outcome.ok && (
          <CopyButton compact label="Copy the result" text={() => JSON.stringify(outcome.result, null, 2)} />
        )}
        {outcome.task !== undefined && <a href={routeHash('tasks', server.id, outcome.task)}>Its task</a>}
        {outcome.group !== undefined && (
          <a href={routeHash('timeline', server.id, String(outcome.group), { group: String(outcome.group) })}>
            Its messages
          </a>
        )}
      </div>
      {outcome.ok ? (
        <>
          {app !== undefined && (
            <AppFrame
              key={outcome.callId}
              server={server}
              tool={tool}
              uri={app}
              args={args}
              result={outcome.result}
            />
          )}
          <OkResult server={server} tool={tool} result={outcome.result} />
        </>
      ) : left ? (
        <Notice>The task goes on at the server. Resume it in the panel Tasks for its result.</Notice>
      ) : outcome.cancelled ? (
        <Notice tone="warn">The call was cancelled.</Notice>
      ) : (
        <>
          <FailureNotice failure={outcome.failure} />
          {outcome.failure.needsLogin && (
            <div>
              <a className="button" data-kind="primary" href={routeHash('auth', server.id)}>
                Log in
              </a>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function wordOf(outcome: CallOutcome): string {
  if (outcome.ok) return outcome.result.isError === true ? 'tool failed' : 'done';
  if (outcome.left) return 'left running';
  return outcome.cancelled ? 'cancelled' : 'failed';
}

function OkResult({
  server,
  tool,
  result,
}: {
  server: ServerView;
  tool: Tool;
  result: Readonly<Record<string, unknown>>;
}) {
  const { content, structuredContent } = result;
  const blocks = Array.isArray(content) ? content : [];
  return (
    <>
      {blocks.length > 0 && (
        <ContentList blocks={blocks} resourceHref={(uri) => routeHash('resources', server.id, uri)} />
      )}
      {blocks.length === 0 && structuredContent === undefined && <p className="soft">The result is empty.</p>}
      {structuredContent !== undefined && <Structured value={structuredContent} schema={tool.outputSchema} />}
    </>
  );
}

/** Structured content beside the schema that it was promised to fit. */
function Structured({ value, schema }: { value: unknown; schema: unknown }) {
  usePatterns(schema);
  const verdict = schema === undefined ? undefined : checkAgainst(schema, value);
  return (
    <div className="structured">
      <div className="stack-tight">
        <h3>Structured content</h3>
        <JsonTree value={value} label="Structured content" openDepth={3} />
        {verdict?.ok && verdict.errors.length === 0 && <Badge tone="good">fits its schema</Badge>}
        {verdict?.ok &&
          verdict.errors.map((error) => (
            <Notice key={error.stack} tone="bad">
              Does not fit its schema: {error.stack}
            </Notice>
          ))}
        {verdict?.ok === false && (
          <Notice tone="warn">The output schema cannot be used: {verdict.message}</Notice>
        )}
      </div>
      {schema !== undefined && (
        <div className="stack-tight">
          <h3>Output schema</h3>
          <JsonTree value={schema} label="Output schema of the tool" openDepth={3} />
        </div>
      )}
    </div>
  );
}
