// Written by plumb gen; changes are lost when it is written again.

import { type Caller, callTool, type ToolResult } from '../client.ts';

export type ForecastInput = {
  "city": string;
  /** maximum: 7, default: 3 */
  "days"?: number;
};

export type ForecastOutput = {
  "unit": string;
  "temperatures": Array<number>;
};

/** Forecast for a city */
export function forecast(client: Caller, args: ForecastInput): Promise<ToolResult<ForecastOutput>> {
  return callTool(client, "forecast", args);
}
