/**
 * Our vocabulary beside the official one: whatever the official types can say, ours must be able to say.
 * The verdicts on types fall in `npm run typecheck`; the names of types that drifted appear in its error.
 */

import * as v2 from '@modelcontextprotocol/client';
import { LoggingLevelSchema } from '@modelcontextprotocol/core';
import type * as v1 from '@modelcontextprotocol/sdk/spec.types.js';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import * as model from '../../../src/protocol/model/index.js';

type Primitive = string | number | boolean | null | undefined;

/** The names a type spells out, without an index signature. */
type Names<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: T[K] };

/**
 * Official types spell optional fields `?: T | undefined`, leave objects open, and call an arbitrary object
 * `object`; on the wire none of it shows.
 */
type Wire<T> = unknown extends T
  ? T
  : T extends Primitive
    ? T
    : T extends (infer Item)[]
      ? Wire<Item>[]
      : [Names<T>] extends [never]
        ? { [key: string]: string extends keyof T ? Wire<T[keyof T]> : unknown }
        : { [K in keyof T as string extends K ? never : number extends K ? never : K]: Wire<Defined<T, K>> };

type Defined<T, K extends keyof T> = undefined extends T[K] ? Exclude<T[K], undefined> : T[K];

/** Of a union, the fields of any member. */
type AnyName<T> = T extends unknown ? Names<T> : never;

type Verdict<Official, Ours> = [Wire<Official>] extends [Ours]
  ? [Exclude<AnyName<Official>, AnyName<Ours>>] extends [never]
    ? 'same'
    : { unknownToUs: Exclude<AnyName<Official>, AnyName<Ours>> }
  : { notAssignable: Wire<Official> };

/** The rows of a table of `[official, ours]` that disagree. */
type Drift<Table extends { [name: string]: [unknown, unknown] }> = {
  [Name in keyof Table as Verdict<Table[Name][0], Table[Name][1]> extends 'same' ? never : Name]: Verdict<
    Table[Name][0],
    Table[Name][1]
  >;
};

type None = Record<never, never>;

type Handshake = {
  annotations: [v1.Annotations, model.Annotations];
  callToolParams: [v1.CallToolRequestParams, model.CallToolParams];
  callToolResult: [v1.CallToolResult, model.CallToolResult];
  cancelledParams: [v1.CancelledNotificationParams, model.CancelledParams];
  clientCapabilities: [v1.ClientCapabilities, model.ClientCapabilities];
  completeParams: [v1.CompleteRequestParams, model.CompleteParams];
  completeResult: [v1.CompleteResult, model.CompleteResult];
  contentBlock: [v1.ContentBlock, model.ContentBlock];
  createMessageParams: [v1.CreateMessageRequestParams, model.CreateMessageParams];
  createMessageResult: [v1.CreateMessageResult, model.CreateMessageResult];
  createTaskResult: [v1.CreateTaskResult, model.CreateTaskResult];
  elicitParams: [v1.ElicitRequestParams, model.ElicitParams];
  elicitResult: [v1.ElicitResult, model.ElicitResult];
  elicitationCompleteParams: [v1.ElicitationCompleteNotification['params'], model.ElicitationCompleteParams];
  getPromptParams: [v1.GetPromptRequestParams, model.GetPromptParams];
  getPromptResult: [v1.GetPromptResult, model.GetPromptResult];
  implementation: [v1.Implementation, model.Implementation];
  initializeParams: [v1.InitializeRequestParams, model.InitializeParams];
  initializeResult: [v1.InitializeResult, model.InitializeResult];
  listPromptsResult: [v1.ListPromptsResult, model.ListPromptsResult];
  listResourcesResult: [v1.ListResourcesResult, model.ListResourcesResult];
  listResourceTemplatesResult: [v1.ListResourceTemplatesResult, model.ListResourceTemplatesResult];
  listRootsResult: [v1.ListRootsResult, model.ListRootsResult];
  listTasksResult: [v1.ListTasksResult, model.ListTasksResult];
  listToolsResult: [v1.ListToolsResult, model.ListToolsResult];
  paginatedParams: [v1.PaginatedRequestParams, model.PaginatedParams];
  logMessageParams: [v1.LoggingMessageNotificationParams, model.LogMessageParams];
  primitiveSchema: [v1.PrimitiveSchemaDefinition, model.PrimitiveSchema];
  progressParams: [v1.ProgressNotificationParams, model.ProgressParams];
  prompt: [v1.Prompt, model.Prompt];
  readResourceParams: [v1.ReadResourceRequestParams, model.ReadResourceParams];
  readResourceResult: [v1.ReadResourceResult, model.ReadResourceResult];
  resource: [v1.Resource, model.Resource];
  resourceTemplate: [v1.ResourceTemplate, model.ResourceTemplate];
  resourceUpdatedParams: [v1.ResourceUpdatedNotificationParams, model.ResourceUpdatedParams];
  root: [v1.Root, model.Root];
  samplingContent: [v1.SamplingMessageContentBlock, model.SamplingContent];
  serverCapabilities: [v1.ServerCapabilities, model.ServerCapabilities];
  setLevelParams: [v1.SetLevelRequestParams, model.SetLevelParams];
  taskResult: [v1.GetTaskResult, model.TaskResult];
  taskStatusParams: [v1.TaskStatusNotificationParams, model.TaskStatusParams];
  tool: [v1.Tool, model.Tool];
  toolAnnotations: [v1.ToolAnnotations, model.ToolAnnotations];
  toolExecution: [v1.ToolExecution, model.ToolExecution];
};

type Stateless = {
  callToolParams: [v2.CallToolRequestParams, model.ClientRequests['tools/call']['params']];
  callToolResult: [v2.CallToolResult, model.CallToolResult];
  clientCapabilities: [v2.ClientCapabilities, model.ClientCapabilities];
  completeResult: [v2.CompleteResult, model.CompleteResult];
  contentBlock: [v2.ContentBlock, model.ContentBlock];
  createMessageParams: [v2.CreateMessageRequestParams, model.CreateMessageParams];
  createMessageResult: [v2.CreateMessageResultWithTools, model.CreateMessageResult];
  discoverResult: [v2.DiscoverResult, model.DiscoverResult];
  elicitParams: [v2.ElicitRequestParams, model.ElicitParams];
  elicitResult: [v2.ElicitResult, model.ElicitResult];
  getPromptResult: [v2.GetPromptResult, model.GetPromptResult];
  implementation: [v2.Implementation, model.Implementation];
  inputRequest: [v2.InputRequest, model.InputRequest];
  inputRequiredResult: [v2.InputRequiredResult, model.InputRequiredResult];
  inputResponse: [v2.InputResponse, model.InputResponse];
  listenParams: [v2.SubscriptionsListenRequestParams, model.ListenParams];
  listPromptsResult: [v2.ListPromptsResult, model.ListPromptsResult];
  listResourcesResult: [v2.ListResourcesResult, model.ListResourcesResult];
  listResourceTemplatesResult: [v2.ListResourceTemplatesResult, model.ListResourceTemplatesResult];
  listToolsResult: [v2.ListToolsResult, model.ListToolsResult];
  primitiveSchema: [v2.PrimitiveSchemaDefinition, model.PrimitiveSchema];
  readResourceResult: [v2.ReadResourceResult, model.ReadResourceResult];
  serverCapabilities: [v2.ServerCapabilities, model.ServerCapabilities];
  subscriptionFilter: [v2.SubscriptionFilter, model.SubscriptionFilter];
  subscriptionsAcknowledgedParams: [
    v2.SubscriptionsAcknowledgedNotificationParams,
    model.SubscriptionsAcknowledgedParams,
  ];
  tool: [v2.Tool, model.Tool];
};

type Bodies<Requests> = {
  [Method in keyof Requests]: Requests[Method] extends { params: JsonObject; result: JsonObject }
    ? true
    : false;
}[keyof Requests];

describe('the model beside the official types', () => {
  test('says all that the handshake revisions say', () => {
    expectTypeOf<Drift<Handshake>>().toEqualTypeOf<None>();
  });

  test('says all that the stateless revision says', () => {
    expectTypeOf<Drift<Stateless>>().toEqualTypeOf<None>();
  });

  test('knows every method in its direction', () => {
    expectTypeOf<v1.ClientRequest['method']>().toExtend<keyof model.ClientRequests>();
    expectTypeOf<v2.ClientRequest['method']>().toExtend<keyof model.ClientRequests>();
    expectTypeOf<v1.ServerRequest['method']>().toExtend<keyof model.ServerRequests>();
    expectTypeOf<v1.ClientNotification['method']>().toExtend<keyof model.ClientNotifications>();
    expectTypeOf<v1.ServerNotification['method']>().toExtend<keyof model.ServerNotifications>();
    expectTypeOf<v2.ServerNotification['method']>().toExtend<keyof model.ServerNotifications>();
  });

  test('has bodies that pass for JSON objects without a cast', () => {
    expectTypeOf<Bodies<model.ClientRequests>>().toEqualTypeOf<true>();
    expectTypeOf<Bodies<model.ServerRequests>>().toEqualTypeOf<true>();
    expectTypeOf<model.ClientNotifications[keyof model.ClientNotifications]>().toExtend<JsonObject>();
    expectTypeOf<model.ServerNotifications[keyof model.ServerNotifications]>().toExtend<JsonObject>();
  });

  test('names the metadata keys as the official SDK does', () => {
    expect({
      [v2.PROTOCOL_VERSION_META_KEY]: 'protocolVersion',
      [v2.CLIENT_CAPABILITIES_META_KEY]: 'clientCapabilities',
      [v2.CLIENT_INFO_META_KEY]: 'clientInfo',
      [v2.LOG_LEVEL_META_KEY]: 'logLevel',
      [v2.SERVER_INFO_META_KEY]: 'serverInfo',
      [v2.SUBSCRIPTION_ID_META_KEY]: 'subscriptionId',
      [v2.RELATED_TASK_META_KEY]: 'relatedTask',
      [v2.TRACEPARENT_META_KEY]: 'traceparent',
      [v2.TRACESTATE_META_KEY]: 'tracestate',
      [v2.BAGGAGE_META_KEY]: 'baggage',
    }).toEqual({
      [model.META_PROTOCOL_VERSION]: 'protocolVersion',
      [model.META_CLIENT_CAPABILITIES]: 'clientCapabilities',
      [model.META_CLIENT_INFO]: 'clientInfo',
      [model.META_LOG_LEVEL]: 'logLevel',
      [model.META_SERVER_INFO]: 'serverInfo',
      [model.META_SUBSCRIPTION_ID]: 'subscriptionId',
      [model.META_RELATED_TASK]: 'relatedTask',
      [model.META_TRACEPARENT]: 'traceparent',
      [model.META_TRACESTATE]: 'tracestate',
      [model.META_BAGGAGE]: 'baggage',
    });
  });

  test('orders the log levels from least to most severe', () => {
    expect(model.LOG_LEVELS).toEqual(LoggingLevelSchema.options);
    expect(model.LOG_LEVELS.indexOf('debug')).toBeLessThan(model.LOG_LEVELS.indexOf('emergency'));
  });
});
