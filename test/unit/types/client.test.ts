/** What the compiler knows about a client. */

import type { Client, Pool } from 'plumb-mcp/client';
import { describe, expectTypeOf, test } from 'vitest';

interface Order {
  item: string;
  amount?: number;
}

describe('arguments of a call', () => {
  test('may be an interface, and are an object', () => {
    const use = async (client: Client, pool: Pool, order: Order): Promise<void> => {
      await client.tools.call('order', order);
      await pool.call('shop__order', order);
      // @ts-expect-error A string is no set of arguments.
      await client.tools.call('order', 'item');
    };
    expectTypeOf(use).toBeFunction();
  });
});
