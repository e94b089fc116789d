/** Where the specification says what: one name for a subject, though its page moved between revisions. */

import { REVISIONS } from '../../protocol/revisions/index.js';
import type { Revision } from '../../protocol/revisions/revision.js';

/** Paths below the revision, by ordinal of the revision; the last one holds for later revisions too. */
const PAGES = {
  messages: ['basic/messages', 'basic', 'basic', 'basic', 'basic'],
  errors: ['basic/messages', 'basic', 'basic', 'basic', 'basic'],
  base5: ['basic'],
  meta: ['basic/messages', 'basic', 'basic', 'basic', 'basic'],
  schema: ['basic/messages', 'basic', 'schema', 'schema', 'schema'],
  'schema-rules': ['basic', 'basic', 'basic', 'basic', 'basic'],
  icons: ['basic'],
  extensions: ['basic'],
  lifecycle: ['basic/lifecycle', 'basic/lifecycle', 'basic/lifecycle', 'basic/lifecycle', 'basic/versioning'],
  shutdown: [
    'basic/lifecycle',
    'basic/lifecycle',
    'basic/lifecycle',
    'basic/lifecycle',
    'basic/transports/stdio',
  ],
  versioning: ['basic/versioning'],
  compat: ['basic/versioning'],
  discover: ['server/discover'],
  stdio: [
    'basic/transports#stdio',
    'basic/transports#stdio',
    'basic/transports#stdio',
    'basic/transports#stdio',
    'basic/transports/stdio',
  ],
  origin: [
    'basic/transports#security-warning',
    'basic/transports#security-warning',
    'basic/transports#security-warning',
    'basic/transports#security-warning',
    'basic/transports/streamable-http',
  ],
  sse: ['basic/transports#http-with-sse'],
  ping: ['basic/utilities/ping'],
  mrtr: ['basic/patterns/mrtr'],
  subscriptions: ['basic/patterns/subscriptions'],
  caching: ['server/utilities/caching'],
  tasks: ['basic/utilities/tasks'],
  tools: ['server/tools'],
  resources: ['server/resources'],
  prompts: ['server/prompts'],
  completion: ['server/utilities/completion'],
  logging: ['server/utilities/logging'],
  pagination: ['server/utilities/pagination'],
  sampling: ['client/sampling'],
  roots: ['client/roots'],
  elicitation: ['client/elicitation'],
  auth: ['basic/authorization'],
} as const;

/** Pages that moved in the same way. */
type MovedPage =
  | 'http'
  | 'headers'
  | 'session'
  | 'version-header'
  | 'resume'
  | 'compat-sse'
  | 'cancellation'
  | 'progress'
  | 'auth-discovery'
  | 'auth-registration'
  | 'auth-security';

const MOVED: Readonly<Record<MovedPage, readonly string[]>> = {
  http: streamable(''),
  headers: streamable(''),
  session: streamable('#session-management'),
  'version-header': streamable('#protocol-version-header'),
  resume: streamable('#resumability-and-redelivery'),
  'compat-sse': streamable('#backwards-compatibility'),
  cancellation: patterns('cancellation'),
  progress: patterns('progress'),
  'auth-discovery': authorization('authorization-server-discovery'),
  'auth-registration': authorization('client-registration'),
  'auth-security': authorization('security-considerations'),
};

/** Pages that do not belong to one revision of the core. */
const ELSEWHERE = {
  security: '/docs/tutorials/security/security_best_practices',
  'ext-tasks': '/extensions/tasks/overview',
  ui: '/extensions/apps/overview',
  skills: '/extensions/skills/overview',
} as const;

export type PageName = keyof typeof PAGES | MovedPage | keyof typeof ELSEWHERE;

export function pageExists(name: string): name is PageName {
  return name in PAGES || name in MOVED || name in ELSEWHERE;
}

export function pagePath(name: PageName, revision: Revision): string {
  if (name in ELSEWHERE) return Object.entries(ELSEWHERE).find(([key]) => key === name)?.[1] ?? '/';
  const paths =
    Object.entries<readonly string[]>({ ...PAGES, ...MOVED }).find(([key]) => key === name)?.[1] ?? [];
  const path = paths[REVISIONS.indexOf(revision)] ?? paths.at(-1) ?? '';
  return `/specification/${revision.version}/${path}`;
}

function streamable(anchor: string): readonly string[] {
  const handshake = `basic/transports${anchor || '#streamable-http'}`;
  return ['basic/transports', handshake, handshake, handshake, 'basic/transports/streamable-http'];
}

function patterns(page: string): readonly string[] {
  const old = `basic/utilities/${page}`;
  return [old, old, old, old, `basic/patterns/${page}`];
}

function authorization(page: string): readonly string[] {
  const old = 'basic/authorization';
  return [old, old, old, old, `basic/authorization/${page}`];
}
