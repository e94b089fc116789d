/**
 * The panels, in the order of the navigation. A panel is a name in `route-path.ts` and an entry here; the number keys,
 * the navigation and the page follow. A panel for an extension sets `shown`, so that it appears with the servers that
 * declare it.
 */

import type { ComponentType } from 'react';
import type { InspectedCatalogue, ServerView } from '../../api.js';
import type { IconName } from '../components/icon.js';
import type { InspectorState } from '../state/inspector-state.js';
import type { PanelName } from '../state/route.js';
import { AuthPanel } from './auth/auth-panel.js';
import { ComposerPanel } from './composer/composer-panel.js';
import { ElicitationPanel } from './elicitation/elicitation-panel.js';
import { LogsPanel } from './logs/logs-panel.js';
import { PromptsPanel } from './prompts/prompts-panel.js';
import { ResourcesPanel } from './resources/resources-panel.js';
import { ServersPanel } from './servers/servers-panel.js';
import { SkillsPanel } from './skills/skills-panel.js';
import { hasTasks, isUnderWay } from './tasks/task-words.js';
import { TasksPanel } from './tasks/tasks-panel.js';
import { TimelinePanel } from './timeline/timeline-panel.js';
import { ToolsPanel } from './tools/tools-panel.js';
import { ValidatePanel } from './validate/validate-panel.js';

/** Panels of one group stand together in the navigation. */
export type PanelGroup = 'servers' | 'offers' | 'client' | 'traffic' | 'checks';

/** What the number beside a panel's name is taken from. */
export interface Counted {
  readonly state: InspectorState;
  readonly server: ServerView | undefined;
  readonly catalogue: InspectedCatalogue | undefined;
}

export interface PanelEntry {
  readonly name: PanelName;
  readonly label: string;
  readonly icon: IconName;
  readonly group: PanelGroup;
  readonly view: ComponentType;
  /** The traffic drawer can be opened below it. */
  readonly drawer?: boolean;
  /** How many there are; undefined where that is not known, or nothing to speak of. */
  count?(from: Counted): number | undefined;
  /** The number asks for attention: something waits for the user. */
  readonly urgent?: boolean;
  /** Whether the panel is in the navigation for this server. Default: always. */
  shown?(server: ServerView | undefined): boolean;
}

const SKILLS = 'io.modelcontextprotocol/skills';

export const PANEL_LIST: readonly PanelEntry[] = [
  {
    name: 'servers',
    label: 'Servers',
    icon: 'servers',
    group: 'servers',
    view: ServersPanel,
    count: ({ state }) => (state.servers.length > 1 ? state.servers.length : undefined),
  },
  {
    name: 'tools',
    label: 'Tools',
    icon: 'tools',
    group: 'offers',
    view: ToolsPanel,
    drawer: true,
    count: ({ catalogue }) => catalogue?.tools.items.length,
  },
  {
    name: 'resources',
    label: 'Resources',
    icon: 'resources',
    group: 'offers',
    view: ResourcesPanel,
    drawer: true,
    count: ({ catalogue }) =>
      catalogue === undefined
        ? undefined
        : catalogue.resources.items.length + catalogue.templates.items.length,
  },
  {
    name: 'prompts',
    label: 'Prompts',
    icon: 'prompts',
    group: 'offers',
    view: PromptsPanel,
    drawer: true,
    count: ({ catalogue }) => catalogue?.prompts.items.length,
  },
  {
    name: 'skills',
    label: 'Skills',
    icon: 'skills',
    group: 'offers',
    view: SkillsPanel,
    drawer: true,
    shown: (server) => server?.session?.capabilities.extensions?.[SKILLS] !== undefined,
    count: ({ catalogue }) => catalogue?.skills.items.length,
  },
  {
    name: 'tasks',
    label: 'Tasks',
    icon: 'tasks',
    group: 'offers',
    view: TasksPanel,
    drawer: true,
    shown: hasTasks,
    count: ({ state, server }) =>
      state.tasks.filter((task) => task.server === server?.id && isUnderWay(task)).length || undefined,
  },
  {
    name: 'elicitation',
    label: 'Elicitation',
    icon: 'asks',
    group: 'client',
    view: ElicitationPanel,
    drawer: true,
    urgent: true,
    count: ({ state }) => state.asks.length || undefined,
  },
  {
    name: 'composer',
    label: 'Composer',
    icon: 'send',
    group: 'client',
    view: ComposerPanel,
    drawer: true,
  },
  { name: 'timeline', label: 'Traffic', icon: 'timeline', group: 'traffic', view: TimelinePanel },
  { name: 'logs', label: 'Logs', icon: 'logs', group: 'traffic', view: LogsPanel },
  { name: 'validate', label: 'Validate', icon: 'comply', group: 'checks', view: ValidatePanel },
  { name: 'auth', label: 'Auth', icon: 'auth', group: 'checks', view: AuthPanel },
];

export function panelEntry(name: PanelName): PanelEntry | undefined {
  return PANEL_LIST.find((entry) => entry.name === name);
}
