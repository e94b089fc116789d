/** Tasks of a server: those of the calls made here, those that the server lists, and those named by their id. */

import { type FormEvent, useEffect, useId, useState } from 'react';
import type { InspectedTask, ServerView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button, IconButton } from '../../components/button.js';
import { CatalogueGate } from '../../components/catalogue-gate.js';
import { EmptyState } from '../../components/empty-state.js';
import { plural } from '../../components/format.js';
import { LinkList } from '../../components/link-list.js';
import { FailureNotice } from '../../components/notice.js';
import { SplitView } from '../../components/split-view.js';
import { command } from '../../state/api-client.js';
import { useInspector } from '../../state/inspector.js';
import { goTo, routeHash, useRoute } from '../../state/route.js';
import { useCommand } from '../../state/use-command.js';
import { TaskDetail } from './task-detail.js';
import { hasTasks, isUnderWay, listsTasks, STATUS_TONES } from './task-words.js';

/** How often the process is asked to look; it asks the server at the server's own interval. */
const LOOK_MS = 1_000;

export function TasksPanel() {
  return <CatalogueGate icon="tasks">{(server) => <Tasks key={server.id} server={server} />}</CatalogueGate>;
}

function Tasks({ server }: { server: ServerView }) {
  const { item } = useRoute();
  const all = useInspector((state) => state.tasks);
  const tasks = all.filter((task) => task.server === server.id).toReversed();
  const { busy, failure, run } = useCommand();
  const reload = () => run(() => command('tasks.refresh', { server: server.id, reload: true }));
  useLooking(server, tasks);
  if (!hasTasks(server)) {
    return (
      <EmptyState icon="tasks" title="No tasks">
        The server does not declare tasks in this revision.
      </EmptyState>
    );
  }
  const selected = tasks.find(({ id }) => id === item) ?? (item === undefined ? tasks[0] : undefined);
  return (
    <SplitView
      label="Tasks"
      open={item !== undefined}
      head={
        <div className="split-head">
          <div className="row">
            <span className="grow small soft" aria-live="polite">
              {plural(tasks.length, 'task')}, {tasks.filter(isUnderWay).length} under way
            </span>
            <IconButton
              icon="again"
              label="Ask for all tasks again"
              disabled={busy || server.state !== 'ready'}
              onClick={reload}
            />
          </div>
          <AddTask server={server} />
          {failure && <FailureNotice failure={failure} />}
        </div>
      }
      list={
        <LinkList
          label="Tasks"
          selected={selected?.id}
          items={tasks.map((task) => ({
            key: task.id,
            href: routeHash('tasks', server.id, task.id),
            content: <TaskLine task={task} />,
          }))}
        />
      }
      detail={
        selected ? (
          <TaskDetail key={selected.id} server={server} task={selected} />
        ) : (
          <NoTask server={server} item={item} />
        )
      }
      detailLabel={selected ? `Task ${selected.id}` : 'Task'}
    />
  );
}

function NoTask({ server, item }: { server: ServerView; item: string | undefined }) {
  if (item !== undefined)
    return (
      <EmptyState icon="tasks" title="Unknown task">
        The inspector does not know the task {item}. Add it by its id.
      </EmptyState>
    );
  return (
    <EmptyState icon="tasks" title="No tasks yet">
      A tool call that the server answers with a task is shown here.
      {listsTasks(server)
        ? ' Ask for all tasks to see those that were begun elsewhere.'
        : ' The server has no list of tasks: add those that were begun elsewhere by their id.'}
    </EmptyState>
  );
}

function TaskLine({ task }: { task: InspectedTask }) {
  const { id, tool, status, message } = task;
  return (
    <>
      <span className="row">
        <span className="ellipsis grow">{tool ?? id}</span>
        <Badge tone={STATUS_TONES[status]}>{status}</Badge>
      </span>
      <span className="soft">{message ?? id}</span>
    </>
  );
}

function AddTask({ server }: { server: ServerView }) {
  const field = useId();
  const [id, setId] = useState('');
  const { busy, failure, run } = useCommand();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = id.trim();
    const added = await run(() => command('tasks.add', { server: server.id, id: given }));
    if (added === undefined) return;
    setId('');
    goTo(routeHash('tasks', server.id, given));
  };
  return (
    <form className="stack-tight" onSubmit={submit}>
      <div className="row">
        <label className="visually-hidden" htmlFor={field}>
          Task id
        </label>
        <input
          id={field}
          className="input grow"
          placeholder="Task id"
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <Button type="submit" icon="plus" disabled={busy || id.trim() === '' || server.state !== 'ready'}>
          Add
        </Button>
      </div>
      {failure && <FailureNotice failure={failure} />}
    </form>
  );
}

/** Keeps what is shown up to date while it is looked at. */
function useLooking(server: ServerView, tasks: readonly InspectedTask[]): void {
  const listed = listsTasks(server);
  const ready = server.state === 'ready';
  const waiting = ready && tasks.some(isUnderWay);
  const { id } = server;
  useEffect(() => {
    if (ready && listed) command('tasks.refresh', { server: id, reload: true }).catch(() => undefined);
  }, [ready, listed, id]);
  useEffect(() => {
    if (!waiting) return;
    const look = () => {
      if (document.visibilityState === 'visible')
        command('tasks.refresh', { server: id }).catch(() => undefined);
    };
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [waiting, id]);
}
