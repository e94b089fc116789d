/** What each side says it can do. Neither object is closed: peers may declare what no revision names. */

import type { JsonObject } from '../../jsonrpc/message.js';

/** Settings by name; an empty object means supported, with nothing to set. */
export type NamedSettings = { [name: string]: JsonObject };

export interface ClientCapabilities {
  experimental?: NamedSettings;
  /** By extension identifier, prefix included. Since 2026-07-28; extensions use it in older revisions too. */
  extensions?: NamedSettings;
  /** Deprecated since 2026-07-28. */
  roots?: {
    /** Until 2025-11-25. */
    listChanged?: boolean;
  };
  /** Deprecated since 2026-07-28. */
  sampling?: {
    /** `includeContext` is understood. Since 2025-11-25. */
    context?: JsonObject;
    /** `tools` and `toolChoice` are understood. Since 2025-11-25. */
    tools?: JsonObject;
  };
  /** Since 2025-06-18. An empty object means forms only. */
  elicitation?: {
    /** Since 2025-11-25. */
    form?: JsonObject;
    /** Since 2025-11-25. */
    url?: JsonObject;
  };
  /** 2025-11-25 only. */
  tasks?: TasksCapability & {
    /** The requests that the client accepts as tasks. */
    requests?: {
      sampling?: { createMessage?: JsonObject };
      elicitation?: { create?: JsonObject };
    };
  };
}

export interface ServerCapabilities {
  experimental?: NamedSettings;
  /** By extension identifier, prefix included. Since 2026-07-28; extensions use it in older revisions too. */
  extensions?: NamedSettings;
  /** Deprecated since 2026-07-28. */
  logging?: JsonObject;
  /** Since 2025-03-26; before, servers completed without saying so. */
  completions?: JsonObject;
  prompts?: {
    listChanged?: boolean;
  };
  resources?: {
    subscribe?: boolean;
    listChanged?: boolean;
  };
  tools?: {
    listChanged?: boolean;
  };
  /** 2025-11-25 only. */
  tasks?: TasksCapability & {
    /** The requests that the server accepts as tasks. */
    requests?: {
      tools?: { call?: JsonObject };
    };
  };
}

/** The part of the 2025-11-25 `tasks` capability that is the same on both sides. */
export interface TasksCapability {
  list?: JsonObject;
  cancel?: JsonObject;
}
