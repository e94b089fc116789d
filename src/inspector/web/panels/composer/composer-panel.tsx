/** Composer: any request or notification, calls that were made, and calls that were kept. */

import { useState } from 'react';
import type { CallTarget, ServerView } from '../../../api.js';
import { EmptyState } from '../../components/empty-state.js';
import { SplitView } from '../../components/split-view.js';
import { Tabs } from '../../components/tabs.js';
import { useCurrentServer } from '../../state/current-server.js';
import { routeHash } from '../../state/route.js';
import { CallHistory } from './call-history.js';
import { Collections } from './collections.js';
import { ComposeForm } from './compose-form.js';

type Side = 'history' | 'saved';

const SIDES = [
  { name: 'history', label: 'History' },
  { name: 'saved', label: 'Collections' },
] as const;

export function ComposerPanel() {
  const server = useCurrentServer();
  if (server === undefined) {
    return (
      <EmptyState icon="send" title="No server yet" action={<a href={routeHash('servers')}>Add a server</a>}>
        The composer sends any request or notification to a server.
      </EmptyState>
    );
  }
  return <Composer key={server.id} server={server} />;
}

function Composer({ server }: { server: ServerView }) {
  const [side, setSide] = useState<Side>('history');
  const [taken, setTaken] = useState<{ readonly target: CallTarget; readonly count: number } | undefined>();
  const take = (target: CallTarget) => setTaken({ target, count: (taken?.count ?? 0) + 1 });
  return (
    <SplitView
      label="Calls"
      open={true}
      className="composer"
      list={
        <Tabs label="Calls" tabs={SIDES} selected={side} onSelect={setSide}>
          {side === 'history' ? <CallHistory onTake={take} /> : <Collections server={server} onTake={take} />}
        </Tabs>
      }
      detail={<ComposeForm key={taken?.count ?? 0} server={server} taken={taken?.target} />}
      detailLabel="Composer"
    />
  );
}
