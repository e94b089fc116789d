import { authorize } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('authorize on a %s', (place) => {
  test('is asked for the list and for the call, with the arguments', async () => {
    const asked: unknown[] = [];
    const policy = authorize(({ kind, name, arguments: args }) => {
      asked.push([kind, name, args]);
      return kind !== 'tool' || (name === 'echo' && args?.text !== 'forbidden');
    });
    const { client, runs } = await meet(place, policy);
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['echo']);
    await echo(client);
    await expect(echo(client, 'forbidden')).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(client.tools.call('hang')).rejects.toMatchObject({ rpcCode: -32602 });
    expect(runs()).toBe(1);
    expect(asked).toContainEqual(['tool', 'echo', undefined]);
    expect(asked).toContainEqual(['tool', 'echo', { text: 'forbidden' }]);
  });

  test('goes by the principal, in lists and in use', async () => {
    const { join, runs } = await meet(
      place,
      authorize(({ caller }) => caller.principal === 'alice'),
    );
    const [alice, bob] = [await join('alice'), await join('bob')];
    expect(await alice.tools.list()).not.toEqual([]);
    expect((await alice.resources.read('a://b')).contents).toHaveLength(1);
    expect([await bob.tools.list(), await bob.prompts.list(), await bob.resources.list()]).toEqual([
      [],
      [],
      [],
    ]);
    await expect(echo(bob)).rejects.toThrow();
    await expect(bob.resources.read('a://b')).rejects.toThrow();
    await expect(bob.prompts.get('greet')).rejects.toThrow();
    expect(runs()).toBe(1);
  });

  test('a policy that fails has not said yes', async () => {
    const { client, runs } = await meet(
      place,
      authorize(() => {
        throw new Error('the policy server is down');
      }),
    );
    expect(await echo(client)).toMatchObject({ isError: true });
    expect(runs()).toBe(0);
  });
});
