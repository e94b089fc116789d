/** An OpenAPI 3 document as tools: one for each operation, called over HTTP at the base URL and nowhere else. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { createServer, type Server, ToolError, ToolResult } from '../../server/index.js';

export interface OpenApiOptions {
  /** Where the API is; the document's own `servers` are not followed. */
  readonly baseUrl: string;
  /** Sent with every request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  /** Longer answers are cut off; 1 MiB unless given. */
  readonly maxCharacters?: number;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const READS: ReadonlySet<string> = new Set(['get']);
const DEFAULT_MAX = 1024 * 1024;

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonObject | undefined;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

export function openapi(document: JsonObject, options: OpenApiOptions): Server {
  const info = isRecord(document.info) ? document.info : {};
  const server = createServer({
    name: String(info.title ?? 'openapi'),
    version: String(info.version ?? '0'),
  });
  for (const operation of operationsOf(document)) {
    server.tool(
      operation.name,
      {
        description: operation.description,
        input: inputSchema(operation),
        annotations: { readOnlyHint: READS.has(operation.method), openWorldHint: true },
      },
      (args, ctx) => callOperation(operation, isRecord(args) ? args : {}, options, ctx.signal),
    );
  }
  return server;
}

function operationsOf(document: JsonObject): Operation[] {
  const paths = isRecord(document.paths) ? document.paths : {};
  return Object.entries(paths).flatMap(([path, item]) => {
    if (!isRecord(item)) return [];
    return METHODS.flatMap((method) => {
      const operation = item[method];
      if (!isRecord(operation)) return [];
      const listed = [item.parameters, operation.parameters].flatMap((list) =>
        Array.isArray(list) ? list : [],
      );
      const named = String(operation.operationId ?? `${method}_${path}`).replaceAll(/[^A-Za-z0-9_.-]+/g, '_');
      return [
        {
          name: named.slice(0, 64),
          method,
          path,
          description: String(
            operation.summary ?? operation.description ?? `${method.toUpperCase()} ${path}`,
          ),
          parameters: listed.flatMap((entry) => parameterOf(document, entry)),
          body: bodySchema(document, operation.requestBody),
        },
      ];
    });
  });
}

function parameterOf(document: JsonObject, entry: unknown): Parameter[] {
  const parameter = resolved(document, entry);
  if (!isRecord(parameter) || typeof parameter.name !== 'string') return [];
  const { name, in: place, required, schema, description } = parameter;
  const shown = resolved(document, schema);
  return [
    {
      name,
      in: String(place),
      required: required === true,
      schema: { ...(isRecord(shown) ? shown : {}), ...(description === undefined ? {} : { description }) },
    },
  ];
}

function bodySchema(document: JsonObject, body: unknown): JsonObject | undefined {
  const found = resolved(document, body);
  const content = isRecord(found) && isRecord(found.content) ? found.content['application/json'] : undefined;
  const schema = isRecord(content) ? resolved(document, content.schema) : undefined;
  return isRecord(schema) ? schema : undefined;
}

/** References within the document; others are left alone, and nothing is ever fetched for them. */
function resolved(document: JsonObject, value: unknown, depth = 0): unknown {
  if (depth > 20) return {};
  if (Array.isArray(value)) return value.map((item) => resolved(document, item, depth + 1));
  if (!isRecord(value)) return value;
  const { $ref } = value;
  if (typeof $ref === 'string') {
    if (!$ref.startsWith('#/')) return {};
    const steps = $ref
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const found = steps.reduce<unknown>(
      (current, step) => (isRecord(current) && Object.hasOwn(current, step) ? current[step] : undefined),
      document,
    );
    return resolved(document, found, depth + 1);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, resolved(document, item, depth + 1)]),
  );
}

function inputSchema({ parameters, body }: Operation) {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  if (body !== undefined) properties.body = body;
  return { type: 'object', properties, required } as const;
}

async function callOperation(
  { method, path, parameters, body }: Operation,
  args: JsonObject,
  options: OpenApiOptions,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { baseUrl, fetch: send = fetch, maxCharacters = DEFAULT_MAX } = options;
  const headers = new Headers(options.headers);
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: place } of parameters) {
    const value = args[name];
    if (value === undefined) continue;
    // Encoded, and dots too: an argument must not walk to another path.
    if (place === 'path') target = target.replaceAll(`{${name}}`, encodeSegment(String(value)));
    else if (place === 'query')
      for (const item of Array.isArray(value) ? value : [value]) query.append(name, String(item));
    else if (place === 'header' && !headers.has(name)) headers.set(name, String(value));
  }
  const url = `${baseUrl.replace(/\/$/, '')}${target}${query.size > 0 ? `?${query}` : ''}`;
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await send(url, {
    method: method.toUpperCase(),
    headers,
    signal,
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(args.body ?? {}) }),
  });
  const text = (await response.text()).slice(0, maxCharacters);
  if (!response.ok)
    throw new ToolError(`${method.toUpperCase()} ${path} answered ${response.status}: ${text}`);
  return new ToolResult({ content: [{ type: 'text', text }] });
}

function encodeSegment(value: string): string {
  const encoded = encodeURIComponent(value);
  return encoded === '.' || encoded === '..' ? encoded.replaceAll('.', '%2E') : encoded;
}
