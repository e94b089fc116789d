/** Auth: how authorization with a server went, step by step. */

import { useState } from 'react';
import type { AuthFlow, ServerView } from '../../../api.js';
import { Badge, type Tone } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { linkTarget } from '../../components/link-target.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { useCurrentServer } from '../../state/current-server.js';
import { useInspector } from '../../state/inspector.js';
import { useCommand } from '../../state/use-command.js';
import { EditServerDialog } from '../servers/edit-server.js';
import { AuthStepView } from './auth-step.js';

const STATES: Readonly<Record<AuthFlow['state'], readonly [string, Tone | undefined]>> = {
  none: ['no authorization', undefined],
  running: ['under way', 'warn'],
  waiting: ['waiting for you', 'warn'],
  authorized: ['authorized', 'good'],
  failed: ['failed', 'bad'],
};

export function AuthPanel() {
  const server = useCurrentServer();
  const flow = useInspector((state) => state.auth.find((each) => each.server === server?.id));
  if (server === undefined) {
    return (
      <EmptyState icon="auth" title="No server yet">
        Authorization is shown here for servers over HTTP.
      </EmptyState>
    );
  }
  if (server.address.kind !== 'url') {
    return (
      <EmptyState icon="auth" title="Nothing to log in to">
        {server.name} is not reached over HTTP; such servers take their credentials from the environment.
      </EmptyState>
    );
  }
  return <Flow server={server} flow={flow} />;
}

function Flow({ server, flow }: { server: ServerView; flow: AuthFlow | undefined }) {
  const { busy, failure, run } = useCommand();
  const state = flow?.state ?? 'none';
  const [word, tone] = STATES[state];
  const [editing, setEditing] = useState(false);
  const needed = flow?.neededScopes ?? [];
  const login = (scopes: readonly string[] = []) =>
    run(() => command('auth.login', { server: server.id, ...(scopes.length === 0 ? {} : { scopes }) }));
  return (
    <div className="panel-scroll">
      <div className="page stack">
        <div className="row-wrap">
          <h1 className="panel-title">Authorization</h1>
          <Badge tone={tone}>{word}</Badge>
          {flow?.issuer && <span className="soft wrap">by {flow.issuer}</span>}
          {flow?.scopes?.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </div>
        <div className="row-wrap">
          <Button kind="primary" icon="auth" disabled={busy || state === 'running'} onClick={() => login()}>
            {state === 'authorized' ? 'Log in again' : 'Log in'}
          </Button>
          {(state === 'waiting' || state === 'running') && (
            <Button onClick={() => command('auth.cancel', { server: server.id })}>Cancel the login</Button>
          )}
          {state === 'authorized' && (
            <Button onClick={() => run(() => command('auth.logout', { server: server.id }))}>Log out</Button>
          )}
          <Button icon="gear" onClick={() => setEditing(true)}>
            Client id, scopes, issuer
          </Button>
        </div>
        {needed.length > 0 && state !== 'waiting' && state !== 'running' && (
          <Notice tone="warn">
            <p>
              The server refused a request for want of the scope <strong>{needed.join(' ')}</strong>.
            </p>
            <div>
              <Button kind="primary" disabled={busy} onClick={() => login(needed)}>
                Log in with {needed.join(' ')}
              </Button>
            </div>
          </Notice>
        )}
        {editing && <EditServerDialog server={server} onClose={() => setEditing(false)} />}
        {flow?.loginUrl && <LoginLink address={flow.loginUrl} />}
        {failure && <FailureNotice failure={failure} />}
        {flow?.failure && state === 'authorized' && (
          <Notice tone="warn">The last attempt did not work, and the login before it is still used.</Notice>
        )}
        {flow?.failure && <FailureNotice failure={flow.failure} />}
        {(flow?.steps.length ?? 0) === 0 ? (
          <EmptyState inside icon="auth" title="No steps yet">
            {server.name} has not asked for authorization. When it does, each request of the flow is shown
            here with what was expected of it.
          </EmptyState>
        ) : (
          <ol className="auth-steps stack">
            {flow?.steps.map((step, index) => (
              <AuthStepView key={step.seq} step={step} number={index + 1} />
            ))}
          </ol>
        )}
      </div>
    </div>
  );
}

/** The page never opens an address by itself; its user does. */
function LoginLink({ address }: { address: string }) {
  const target = linkTarget(address);
  if (target === undefined)
    return <Notice tone="bad">The address of the login page is not a web address: {address}</Notice>;
  return (
    <Notice>
      <p>
        Log in at <strong>{new URL(target).host}</strong>, then come back here.
      </p>
      <a
        className="button login-link"
        data-kind="primary"
        href={target}
        target="_blank"
        rel="noopener noreferrer"
      >
        Open the login page
      </a>
    </Notice>
  );
}
