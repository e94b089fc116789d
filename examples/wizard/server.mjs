/**
 * A wizard: a tool that asks the user step by step, goes back on request, and books once.
 *
 *   plumb call book -- node examples/wizard/server.mjs
 *
 * Clients of 2026-07-28 start the handler again after each answer. What was answered comes back at once, and
 * `ctx.step` keeps what was done, so the code reads as if it ran once.
 */
import { createServer } from 'plumb-mcp/server';
import { z } from 'zod';

const Trip = z.object({
  from: z.string().min(2).describe('Where the journey begins'),
  to: z.string().min(2).describe('Where it ends'),
});
const Seat = z.object({ seat: z.enum(['window', 'aisle']).default('window') });
const Confirm = z.object({ decision: z.enum(['book', 'change', 'cancel']) });

let bookings = 0;
const server = createServer({ name: 'travel', version: '1.0.0' });

server.tool(
  'book',
  {
    description: 'Books a journey; asks the user for everything it needs',
    output: z.object({ booked: z.boolean(), number: z.number().optional(), journey: z.string().optional() }),
    requires: { elicitation: {} },
  },
  async (_args, ctx) => {
    for (let round = 1; round <= 3; round += 1) {
      // The key tells the rounds apart, since the same question is asked again.
      const trip = await ctx.elicit('Where do you want to go?', Trip, { key: `trip-${round}` });
      if (trip.action !== 'accept') return { booked: false };
      const { from, to } = trip.content;

      const price = await ctx.step(
        `asking for prices from ${from} to ${to}`,
        () => 20 + from.length + to.length,
      );
      const seat = await ctx.elicit(`${from} to ${to} costs ${price}. Which seat?`, Seat, {
        key: `seat-${round}`,
      });
      if (seat.action !== 'accept') return { booked: false };

      const journey = `${from} to ${to}, ${seat.content.seat} seat`;
      const answer = await ctx.elicit(`Book ${journey} for ${price}?`, Confirm, { key: `confirm-${round}` });
      if (answer.action !== 'accept' || answer.content.decision === 'cancel') return { booked: false };
      if (answer.content.decision === 'change') continue;

      const number = await ctx.once('book', () => {
        bookings += 1;
        return bookings;
      });
      return { booked: true, number, journey };
    }
    return { booked: false };
  },
);

await server.stdio();
