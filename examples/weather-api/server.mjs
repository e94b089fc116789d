/**
 * A weather service with a REST API, as two tools. The results are structured, so a model gets numbers and not prose.
 *
 *   plumb call forecast city=Bern days=2 -- node examples/weather-api/server.mjs
 */
import { createServer, ToolError } from 'plumb-mcp/server';
import { z } from 'zod';

const GEOCODING = process.env.GEOCODING_URL ?? 'https://geocoding-api.open-meteo.com';
const FORECAST = process.env.FORECAST_URL ?? 'https://api.open-meteo.com';

const Places = z.object({
  results: z
    .array(z.object({ name: z.string(), country: z.string(), latitude: z.number(), longitude: z.number() }))
    .default([]),
});
const Daily = z.object({
  daily: z.object({
    time: z.array(z.string()),
    temperature_2m_max: z.array(z.number()),
    temperature_2m_min: z.array(z.number()),
  }),
});

const server = createServer({ name: 'weather-api', version: '1.0.0' });

server.tool(
  'find_place',
  {
    description: 'Finds places by name',
    input: z.object({ name: z.string().min(2) }),
    output: z.object({ places: Places.shape.results }),
    annotations: { readOnlyHint: true, openWorldHint: true },
    timeout: 10_000,
  },
  async ({ name }, ctx) => ({ places: await findPlaces(name, ctx.signal) }),
);

server.tool(
  'forecast',
  {
    description: 'The forecast for a city',
    input: z.object({ city: z.string().min(2), days: z.number().int().min(1).max(7).default(3) }),
    output: z.object({
      place: z.string(),
      days: z.array(z.object({ date: z.string(), low: z.number(), high: z.number() })),
    }),
    annotations: { readOnlyHint: true, openWorldHint: true },
    timeout: 10_000,
  },
  async ({ city, days }, ctx) => {
    const [place] = await findPlaces(city, ctx.signal);
    // The model reads this message, and can try another name.
    if (place === undefined) throw new ToolError(`There is no place called ${city}; try find_place`);
    ctx.progress(1, 2, `asking for ${place.name}, ${place.country}`);
    const query = new URLSearchParams({
      latitude: String(place.latitude),
      longitude: String(place.longitude),
      daily: 'temperature_2m_max,temperature_2m_min',
      forecast_days: String(days),
    });
    const { daily } = await get(`${FORECAST}/v1/forecast?${query}`, Daily, ctx.signal);
    return {
      place: `${place.name}, ${place.country}`,
      days: daily.time.map((date, day) => ({
        date,
        low: daily.temperature_2m_min[day] ?? Number.NaN,
        high: daily.temperature_2m_max[day] ?? Number.NaN,
      })),
    };
  },
);

/**
 * @param {string} name
 * @param {AbortSignal} signal
 */
async function findPlaces(name, signal) {
  const query = new URLSearchParams({ name, count: '5' });
  return (await get(`${GEOCODING}/v1/search?${query}`, Places, signal)).results;
}

/**
 * The signal ends the request when the call is cancelled or its time is over.
 *
 * @template {z.ZodType} S
 * @param {string} url
 * @param {S} schema
 * @param {AbortSignal} signal
 * @returns {Promise<z.output<S>>}
 */
async function get(url, schema, signal) {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new ToolError(`The weather service answers ${response.status}; try again later`);
  return schema.parse(await response.json());
}

await server.stdio();
