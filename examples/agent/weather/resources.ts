// Written by plumb gen; changes are lost when it is written again.

import { type Caller, readResource, type ResourceResult } from './client.ts';

/** The addresses that the server lists. */
export const resources = {
} as const;

export function read(client: Caller, uri: string): Promise<ResourceResult> {
  return readResource(client, uri);
}

/** weather://stations/{city} */
export function readStation(client: Caller, args: { "city": string }): Promise<ResourceResult> {
  return readResource(client, "weather://stations/" + encodeURIComponent(args["city"]));
}
