/** What the site contains, in the order of its sidebar. Pages that no group names are listed last. */

/** @typedef {{ text: string, pages: [path: string, title: string][] }} Group */

export const REPOSITORY = 'https://github.com/plumb-mcp/plumb';

/** @type {readonly Group[]} */
export const GROUPS = [
  {
    text: 'Getting started',
    pages: [
      ['start/server', 'A server'],
      ['start/client', 'A client'],
      ['start/chain', 'A chain'],
      ['start/validate', 'Validate'],
      ['start/inspect', 'Inspect'],
    ],
  },
  {
    text: 'Server',
    pages: [
      ['server', 'Overview'],
      ['server/tools', 'Tools and schemas'],
      ['server/results', 'Results and errors'],
      ['server/resources', 'Resources and subscriptions'],
      ['server/prompts', 'Prompts and completion'],
      ['server/asking', 'Asking the user'],
      ['tasks', 'Tasks'],
      ['server/state', 'Sessions and state'],
      ['server/logging', 'Logging, progress and cancellation'],
      ['server/middleware', 'Middleware'],
      ['server/http', 'HTTP and deployment'],
      ['auth', 'Authorization'],
      ['new', 'A project to start from'],
      ['dev', 'While you write it'],
    ],
  },
  {
    text: 'Client',
    pages: [
      ['client', 'Connect and recover'],
      ['client/features', 'Tools, resources and prompts'],
      ['adapters', 'Model providers'],
      ['client-states', 'States'],
    ],
  },
  {
    text: 'Chain',
    pages: [
      ['chain', 'Gateway, proxy and bridge'],
      ['chain/cookbook', 'Cookbook'],
      ['chain/configuration', 'Configuration file'],
      ['contracts', 'Contracts'],
      ['hub', 'Hub'],
      ['add', 'Clients on this machine'],
    ],
  },
  {
    text: 'Prove and see',
    pages: [
      ['testing', 'Testing'],
      ['validate', 'Validator'],
      ['inspector', 'Inspector'],
    ],
  },
  {
    text: 'Operate',
    pages: [
      ['security', 'Security'],
      ['scale', 'Beyond one machine'],
      ['limits', 'Limits'],
      ['runtimes', 'Runtimes'],
      ['benchmarks', 'Benchmarks'],
    ],
  },
  {
    text: 'Protocol',
    pages: [
      ['revisions', 'Revisions'],
      ['extensions', 'Extensions'],
      ['compatibility', 'Compatibility'],
    ],
  },
  {
    text: 'Choosing Plumb',
    pages: [
      ['comparison', 'Comparison'],
      ['migrating', 'Migrating'],
      ['rough-edges', 'Rough edges'],
    ],
  },
  {
    text: 'Project',
    pages: [
      ['command-line', 'Command line'],
      ['architecture', 'Architecture'],
      ['inspector-api', 'Inspector API'],
      ['validator-findings', 'Findings in other servers'],
      ['validator-mutations', 'What the validator misses'],
      ['changelog', 'Changelog'],
      ['contributing', 'Contributing'],
      ['reporting', 'Reporting a vulnerability'],
    ],
  },
];
