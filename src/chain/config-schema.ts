/** The shape of a chain's configuration. `npm run docs` writes it to schema/chain.schema.json for editors. */

import type { JsonSchema } from '../protocol/model/base.js';
import { SERVER_SCHEMA } from './config-server-schema.js';

export const CHAIN_SCHEMA: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://plumb-mcp.dev/chain.schema.json',
  title: 'A Plumb chain',
  type: 'object',
  additionalProperties: false,
  required: ['servers'],
  properties: {
    $schema: {
      type: 'string',
    },
    name: {
      type: 'string',
    },
    version: {
      type: 'string',
    },
    title: {
      type: 'string',
    },
    instructions: {
      type: 'string',
    },
    revisions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Protocol revisions to speak with clients; all of them by default.',
    },
    servers: {
      type: 'object',
      minProperties: 1,
      additionalProperties: {
        $ref: '#/$defs/server',
      },
      description: 'The servers behind the chain, by name.',
    },
    middleware: {
      type: 'array',
      items: {
        $ref: '#/$defs/middleware',
      },
      description: 'The first one is outermost.',
    },
  },
  $defs: {
    globs: {
      description: 'Globs; * stands for any characters.',
      anyOf: [
        {
          type: 'string',
        },
        {
          type: 'array',
          items: {
            type: 'string',
          },
        },
      ],
    },
    duration: {
      description: '500ms, 30s, 5m, or a number of milliseconds.',
      type: ['string', 'number'],
    },
    size: {
      description: '64KB, 10MB, or a number of bytes.',
      type: ['string', 'number'],
    },
    server: SERVER_SCHEMA,
    middleware: {
      type: ['string', 'object'],
      description: 'The name of a middleware, or an object with its name and options.',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      properties: {
        log: {
          type: 'object',
          additionalProperties: false,
          properties: {},
        },
        timeout: {
          $ref: '#/$defs/duration',
        },
        retry: {
          type: 'object',
          additionalProperties: false,
          properties: {
            attempts: {
              type: 'integer',
              minimum: 1,
            },
            delay: {
              $ref: '#/$defs/duration',
            },
          },
        },
        rateLimit: {
          type: 'object',
          additionalProperties: false,
          properties: {
            perPrincipal: {
              type: 'string',
            },
            total: {
              type: 'string',
            },
          },
        },
        concurrency: {
          type: 'object',
          additionalProperties: false,
          properties: {
            max: {
              type: 'integer',
              minimum: 1,
            },
            queue: {
              type: 'integer',
              minimum: 0,
            },
          },
          required: ['max'],
        },
        cache: {
          type: 'object',
          additionalProperties: false,
          properties: {
            ttl: {
              $ref: '#/$defs/duration',
            },
            max: {
              type: 'integer',
              minimum: 1,
            },
          },
        },
        circuitBreaker: {
          type: 'object',
          additionalProperties: false,
          properties: {
            failures: {
              type: 'integer',
              minimum: 1,
            },
            open: {
              $ref: '#/$defs/duration',
            },
          },
        },
        hide: {
          type: 'object',
          additionalProperties: false,
          properties: {
            tools: {
              $ref: '#/$defs/globs',
            },
            prompts: {
              $ref: '#/$defs/globs',
            },
            resources: {
              $ref: '#/$defs/globs',
            },
          },
        },
        rename: {
          type: 'object',
          additionalProperties: false,
          properties: {
            tools: {
              type: 'object',
              additionalProperties: {
                type: 'string',
              },
            },
            prompts: {
              type: 'object',
              additionalProperties: {
                type: 'string',
              },
            },
          },
        },
        rewrite: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            additionalProperties: false,
            properties: {
              title: {
                type: 'string',
              },
              description: {
                type: 'string',
              },
              defaults: {
                type: 'object',
              },
              fixed: {
                type: 'object',
              },
            },
          },
        },
        redact: {
          type: 'object',
          additionalProperties: false,
          properties: {
            patterns: {
              type: 'array',
              items: {
                type: 'string',
              },
            },
            replacement: {
              type: 'string',
            },
          },
        },
        responseSize: {
          type: ['string', 'number'],
        },
        audit: {
          type: 'object',
          additionalProperties: false,
          properties: {
            file: {
              type: 'string',
            },
            maxBytes: {
              $ref: '#/$defs/size',
            },
            keep: {
              type: 'integer',
              minimum: 1,
            },
            withArguments: {
              type: 'boolean',
            },
          },
          required: ['file'],
        },
        record: {
          type: 'object',
          additionalProperties: false,
          properties: {
            file: {
              type: 'string',
            },
          },
          required: ['file'],
        },
        replay: {
          type: 'object',
          additionalProperties: false,
          properties: {
            file: {
              type: 'string',
            },
          },
          required: ['file'],
        },
        faults: {
          type: 'object',
          additionalProperties: false,
          properties: {
            rate: {
              type: 'number',
              minimum: 0,
              maximum: 1,
            },
            only: {
              $ref: '#/$defs/globs',
            },
            delay: {
              $ref: '#/$defs/duration',
            },
            error: {
              type: 'string',
            },
            after: {
              type: 'boolean',
            },
          },
        },
        fit: {
          enum: ['openai', 'anthropic', 'gemini'],
          description: 'Rewrites tools to what this provider of models accepts.',
        },
        metrics: {
          type: 'object',
          description: 'Counts and times of calls, as Prometheus text at /metrics.',
          additionalProperties: false,
          properties: {},
        },
        telemetry: {
          type: 'object',
          description:
            'Without effect: spans and metrics are automatic where @opentelemetry/api is installed.',
          additionalProperties: false,
          properties: {},
        },
        toolSearch: {
          type: 'object',
          additionalProperties: false,
          properties: {
            above: {
              type: 'integer',
              minimum: 0,
            },
            results: {
              type: 'integer',
              minimum: 1,
            },
          },
        },
      },
    },
  },
};
