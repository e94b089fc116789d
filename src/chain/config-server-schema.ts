/** One server in a chain's configuration. */

import type { JsonSchema } from '../protocol/model/base.js';

export const SERVER_SCHEMA: JsonSchema = {
  type: ['string', 'object'],
  description: 'A URL, or how to start or reach the server.',
  additionalProperties: false,
  properties: {
    command: {
      type: 'string',
    },
    args: {
      type: 'array',
      items: {
        type: 'string',
      },
    },
    cwd: {
      type: 'string',
    },
    env: {
      type: 'object',
      additionalProperties: {
        type: ['string', 'number', 'boolean'],
      },
    },
    url: {
      type: 'string',
    },
    headers: {
      type: 'object',
      additionalProperties: {
        type: ['string', 'number', 'boolean'],
      },
    },
    type: {
      type: 'string',
    },
    isolate: {
      enum: ['shared', 'session', 'principal'],
      description: 'Who shares a connection, and so a process.',
    },
    maxProcesses: {
      type: 'integer',
      minimum: 1,
      description: 'How many processes of an isolated server may run at once; 16 by default.',
    },
    revisions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Protocol revisions to use with this server.',
    },
    timeout: {
      type: 'number',
      description: 'How long a call may take without progress, in milliseconds.',
    },
    connectTimeout: {
      $ref: '#/$defs/duration',
      description: 'How long the server may take to start and answer; 60 s by default.',
    },
    initTimeout: {
      type: 'number',
    },
    prefix: {
      type: 'string',
      description: 'Put before the names of its tools and prompts.',
    },
    rename: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
    },
    include: {
      $ref: '#/$defs/globs',
    },
    exclude: {
      $ref: '#/$defs/globs',
    },
    priority: {
      type: 'number',
      description: 'Who wins when two servers show the same name; the higher.',
    },
    lock: {
      type: 'string',
      description: 'A file of plumb lock: the server is held to what was approved.',
    },
    onDrift: {
      enum: ['block', 'warn'],
      description: 'What to do about a server that shows something else than its lock; block by default.',
    },
  },
};
