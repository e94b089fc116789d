import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { AppView, Failure, InspectedCatalogue, ServerView } from '../../api.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { CodeBlock } from '../components/code-block.js';
import { FailureNotice, Notice } from '../components/notice.js';
import { command, failureOf } from '../state/api-client.js';
import { routeHash } from '../state/route.js';
import { followColours, shownColours, useTheme } from '../state/theme.js';
import { useCatalogue } from '../state/use-catalogue.js';
import { AppHost, type DisplayMode } from './app-host.js';

type Tool = InspectedCatalogue['tools']['items'][number];
type Json = Readonly<Record<string, unknown>>;

/** Something that the app wants, and the user decides. */
type Wish = {
  readonly question: string;
  readonly detail: string;
  decide(allowed: boolean, always: boolean): void;
};

const FIRST_HEIGHT = 240;

/** The app of a tool beside its result, in a sandbox. */
export function AppFrame({
  server,
  tool,
  uri,
  args,
  result,
}: {
  server: ServerView;
  tool: Tool;
  uri: string;
  args: Json;
  result: Json;
}) {
  const [view, setView] = useState<AppView>();
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    let isGone = false;
    command('apps.open', { server: server.id, uri, host: location.origin }).then(
      (next) => {
        if (isGone) void command('apps.close', { view: next.id });
        else setView(next);
      },
      (error: unknown) => setFailure(failureOf(error)),
    );
    return () => {
      isGone = true;
    };
  }, [server.id, uri]);
  if (failure !== undefined) return <FailureNotice failure={failure} />;
  if (view === undefined) return <p className="soft">Opening the app…</p>;
  return <OpenedApp key={view.id} {...{ server, tool, args, result, view, uri }} />;
}

function OpenedApp({
  server,
  tool,
  uri,
  args,
  result,
  view,
}: {
  server: ServerView;
  tool: Tool;
  uri: string;
  args: Json;
  result: Json;
  view: AppView;
}) {
  const frame = useRef<HTMLIFrameElement>(null);
  const host = useRef<AppHost>(undefined);
  const tools = useRef<readonly Tool[]>([]);
  const allowed = useRef(new Set<string>());
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const [mode, setMode] = useState<DisplayMode>('inline');
  const [isReady, setReady] = useState(false);
  const [said, setSaid] = useState<readonly string[]>([]);
  const [wish, setWish] = useState<Wish>();
  const theme = useTheme();
  tools.current = useCatalogue(server)?.catalogue?.tools.items ?? [tool];

  // Lists that are fetched again must not begin the conversation anew.
  const latest = useRef({ tool, args, result });
  latest.current = { tool, args, result };

  // Before the frame goes, so that the app still hears of it.
  useLayoutEffect(() => {
    const ask = (question: string, detail: string, key?: string): Promise<boolean> => {
      if (key !== undefined && allowed.current.has(key)) return Promise.resolve(true);
      return new Promise((resolve) =>
        setWish({
          question,
          detail,
          decide: (isAllowed, always) => {
            if (isAllowed && always && key !== undefined) allowed.current.add(key);
            setWish(undefined);
            resolve(isAllowed);
          },
        }),
      );
    };
    const current = new AppHost(
      {
        view,
        server: server.id,
        ...latest.current,
        tools: () => tools.current,
        theme: shownColours,
        events: {
          consent: ({ name }, given) =>
            ask(`The app wants to call the tool ${name}.`, JSON.stringify(given, null, 2), name),
          openLink: async (url) => {
            if (!(await ask('The app wants to open a link.', url))) return false;
            window.open(url, '_blank', 'noopener,noreferrer');
            return true;
          },
          resized: setHeight,
          mode: setMode,
          said: (text) => setSaid((before) => [...before.slice(-19), text.slice(0, 2_000)]),
          initialized: () => setReady(true),
        },
      },
      () => frame.current?.contentWindow ?? null,
    );
    host.current = current;
    window.addEventListener('message', current.receive);
    return () => {
      window.removeEventListener('message', current.receive);
      void current
        .close('The app is no longer shown')
        .then(() => command('apps.close', { view: view.id }))
        .catch(() => undefined);
    };
  }, [view, server.id]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is read from the document
  useEffect(() => {
    const themed = () => host.current?.themed();
    themed();
    return followColours(themed);
  }, [theme]);

  return (
    <section
      className="app-view stack-tight"
      data-mode={mode}
      data-border={view.prefersBorder}
      aria-label="App"
    >
      <div className="row-wrap">
        <h3>App</h3>
        <code className="soft wrap">{uri}</code>
        <Badge tone={isReady ? 'good' : undefined}>{isReady ? 'connected' : 'waiting for the app'}</Badge>
        <span className="grow" />
        <Button
          size="small"
          onClick={() => host.current?.changeMode(mode === 'inline' ? 'fullscreen' : 'inline')}
        >
          {mode === 'inline' ? 'Full screen' : 'Back to the page'}
        </Button>
        <a href={routeHash('timeline', server.id, undefined, { source: 'app' })}>Its messages</a>
      </div>
      {wish && (
        <Notice tone="warn">
          <p>{wish.question}</p>
          <CodeBlock label="What it wants" text={wish.detail} />
          <div className="row-wrap">
            <Button size="small" kind="primary" onClick={() => wish.decide(true, false)}>
              Allow once
            </Button>
            <Button size="small" onClick={() => wish.decide(true, true)}>
              Allow while it is shown
            </Button>
            <Button size="small" onClick={() => wish.decide(false, false)}>
              Refuse
            </Button>
          </div>
        </Notice>
      )}
      <iframe
        ref={frame}
        title={`App of ${tool.name}`}
        src={view.url}
        // Its origin is another one, so it shares nothing with this page.
        sandbox="allow-scripts allow-same-origin allow-forms"
        allow={view.allow}
        style={mode === 'inline' ? { height } : undefined}
      />
      {said.length > 0 && (
        <details>
          <summary>What the app said ({said.length})</summary>
          <CodeBlock label="What the app said" text={said.join('\n')} />
        </details>
      )}
      <details>
        <summary>What the app may do</summary>
        <CodeBlock
          label="Policy of the app"
          text={view.policy.replaceAll('; ', ';\n') + (view.allow === '' ? '' : `\nallow ${view.allow}`)}
        />
      </details>
    </section>
  );
}
