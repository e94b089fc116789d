import type { AuthStep, DecodedToken } from '../../../api.js';
import { Badge, type Tone } from '../../components/badge.js';
import { CodeBlock } from '../../components/code-block.js';
import { formatDuration, formatTime } from '../../components/format.js';
import { JsonTree } from '../../components/json-tree.js';
import { parseStructure } from '../../components/json-value.js';
import { Headers } from '../timeline/exchange-view.js';

const TONES: Readonly<Record<AuthStep['verdict'], Tone | undefined>> = {
  pending: undefined,
  ok: 'good',
  absent: undefined,
  unexpected: 'warn',
  failed: 'bad',
};

export function AuthStepView({ step, number }: { step: AuthStep; number: number }) {
  return (
    <li className="card stack-tight">
      <div className="row-wrap">
        <span className="step-number">{number}</span>
        <h2>{step.title}</h2>
        <Badge tone={TONES[step.verdict]}>{step.verdict === 'absent' ? 'not here' : step.verdict}</Badge>
        {step.durationMs !== undefined && <Badge>{formatDuration(step.durationMs)}</Badge>}
        <span className="mono small soft">{formatTime(step.at)}</span>
      </div>
      <p className="wrap">
        <span className="soft">Expected: </span>
        {step.expected}
      </p>
      {step.notes.map((note) => (
        <p key={note} className="auth-note wrap">
          {note}
        </p>
      ))}
      {step.tokens.map((token) => (
        <TokenView key={token.name} token={token} />
      ))}
      {(step.request || step.response) && (
        <details>
          <summary>The exchange</summary>
          <Exchange step={step} />
        </details>
      )}
    </li>
  );
}

function Exchange({ step }: { step: AuthStep }) {
  const { request, response } = step;
  return (
    <div className="structured">
      {request && (
        <div className="stack-tight">
          <div className="row-wrap">
            <Badge>{request.method}</Badge>
            <code className="wrap">{request.url}</code>
          </div>
          <Headers title="Request headers" headers={request.headers} />
          {request.body && <Body text={request.body} label="Request body" />}
        </div>
      )}
      {response && (
        <div className="stack-tight">
          <div className="row-wrap">
            <Badge tone={response.status < 400 ? 'good' : 'bad'}>{response.status}</Badge>
          </div>
          <Headers title="Response headers" headers={response.headers} />
          {response.body && <Body text={response.body} label="Response body" />}
        </div>
      )}
    </div>
  );
}

function Body({ text, label }: { text: string; label: string }) {
  const structure = parseStructure(text);
  return (
    <div className="stack-tight">
      <h3>{label}</h3>
      {structure === undefined ? (
        <CodeBlock text={text} label={label} />
      ) : (
        <JsonTree value={structure} label={label} openDepth={2} />
      )}
    </div>
  );
}

function TokenView({ token }: { token: DecodedToken }) {
  return (
    <div className="content-frame stack-tight">
      <div className="row-wrap">
        <strong>{token.name}</strong>
        <code className="wrap">{token.masked}</code>
        {token.expiresAt !== undefined && (
          <span className="small soft">until {new Date(token.expiresAt).toLocaleString()}</span>
        )}
      </div>
      {token.header && <JsonTree value={token.header} label={`Header of ${token.name}`} openDepth={1} />}
      {token.claims && <JsonTree value={token.claims} label={`Claims of ${token.name}`} openDepth={2} />}
    </div>
  );
}
