/** The data of a Redis, and the commands on it that the store uses. Time is given, never read. */

interface StreamEntry {
  readonly id: string;
  readonly fields: readonly string[];
}

interface Stream {
  readonly entries: StreamEntry[];
  last: readonly [milliseconds: number, sequence: number];
}

type Value = string | Map<string, string> | Stream | string[] | SortedSet;

/** Members with their scores. */
class SortedSet extends Map<string, number> {}

interface Slot {
  readonly value: Value;
  until: number;
}

type Command = (args: readonly string[], now: number) => unknown;

class RedisError extends Error {}

export class Keyspace {
  readonly #slots = new Map<string, Slot>();
  readonly #publish: (channel: string, text: string) => void;
  readonly #commands: Readonly<Record<string, Command>>;

  constructor(publish: (channel: string, text: string) => void) {
    this.#publish = publish;
    this.#commands = {
      ...this.#plain(),
      ...this.#hashes(),
      ...this.#sets(),
      ...this.#lists(),
      ...this.#streams(),
    };
  }

  /** The reply as Redis has it: null, a number, a string, or a list of them. */
  execute(name: string, args: readonly string[], now: number): unknown {
    const command = this.#commands[name];
    if (command === undefined) throw new RedisError(`ERR the model does not know the command ${name}`);
    return command(args, now);
  }

  #slot(key: string, now: number): Slot | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined || slot.until > now) return slot;
    this.#slots.delete(key);
    return undefined;
  }

  #read<T extends Value>(key: string, now: number, is: (value: Value) => value is T): T | undefined {
    const value = this.#slot(key, now)?.value;
    if (value === undefined) return undefined;
    if (!is(value)) throw new RedisError('WRONGTYPE Operation against a key holding the wrong kind of value');
    return value;
  }

  #write<T extends Value>(key: string, now: number, is: (value: Value) => value is T, make: () => T): T {
    const known = this.#read(key, now, is);
    if (known !== undefined) return known;
    const value = make();
    this.#slots.set(key, { value, until: Number.POSITIVE_INFINITY });
    return value;
  }

  #expire(key: string, now: number, milliseconds: number): number {
    const slot = this.#slot(key, now);
    if (slot === undefined) return 0;
    slot.until = now + milliseconds;
    return 1;
  }

  #plain(): Record<string, Command> {
    return {
      TIME: (_args, now) => [`${Math.floor(now / 1000)}`, `${Math.floor((now % 1000) * 1000)}`],
      PUBLISH: ([channel = '', text = '']) => this.#publish(channel, text) ?? 0,
      SPUBLISH: ([channel = '', text = '']) => this.#publish(channel, text) ?? 0,
      EXISTS: ([key = ''], now) => (this.#slot(key, now) === undefined ? 0 : 1),
      DEL: (keys, now) => {
        const found = keys.filter((key) => this.#slot(key, now) !== undefined);
        for (const key of found) this.#slots.delete(key);
        return found.length;
      },
      PEXPIRE: ([key = '', milliseconds], now) => this.#expire(key, now, Number(milliseconds)),
      GET: ([key = ''], now) => this.#read(key, now, isText) ?? null,
      SET: ([key = '', value = '', option, milliseconds], now) => {
        if (option !== undefined && option !== 'PX') throw new RedisError(`ERR SET with ${option}`);
        const until = option === 'PX' ? now + Number(milliseconds) : Number.POSITIVE_INFINITY;
        this.#slots.set(key, { value, until });
        return 'OK';
      },
    };
  }

  #hashes(): Record<string, Command> {
    const write = (key: string, now: number): Map<string, string> =>
      this.#write(key, now, isHash, () => new Map<string, string>());
    return {
      HSET: ([key = '', ...fields], now) => {
        const hash = write(key, now);
        for (let at = 0; at + 1 < fields.length; at += 2) hash.set(fields[at] ?? '', fields[at + 1] ?? '');
        return fields.length / 2;
      },
      HSETNX: ([key = '', field = '', value = ''], now) => {
        const hash = write(key, now);
        if (hash.has(field)) return 0;
        hash.set(field, value);
        return 1;
      },
      HGET: ([key = '', field = ''], now) => this.#read(key, now, isHash)?.get(field) ?? null,
      HMGET: ([key = '', ...fields], now) => {
        const hash = this.#read(key, now, isHash);
        return fields.map((field) => hash?.get(field) ?? null);
      },
      HGETALL: ([key = ''], now) => {
        const all: string[] = [];
        this.#read(key, now, isHash)?.forEach((value, field) => void all.push(field, value));
        return all;
      },
      HDEL: ([key = '', ...fields], now) => {
        const hash = this.#read(key, now, isHash);
        return fields.filter((field) => hash?.delete(field) === true).length;
      },
    };
  }

  #sets(): Record<string, Command> {
    return {
      ZADD: ([key = '', ...rest], now) => {
        const onlyKnown = rest[0] === 'XX';
        const [score, member = ''] = onlyKnown ? rest.slice(1) : rest;
        const set = this.#write(key, now, isSortedSet, () => new SortedSet());
        if (!onlyKnown || set.has(member)) set.set(member, Number(score));
        return 1;
      },
      ZSCORE: ([key = '', member = ''], now) => {
        const score = this.#read(key, now, isSortedSet)?.get(member);
        return score === undefined ? null : `${score}`;
      },
      ZCARD: ([key = ''], now) => this.#read(key, now, isSortedSet)?.size ?? 0,
      ZREM: ([key = '', ...members], now) => {
        const set = this.#read(key, now, isSortedSet);
        return members.filter((member) => set?.delete(member) === true).length;
      },
      ZREMRANGEBYSCORE: ([key = '', , most], now) => {
        const set = this.#read(key, now, isSortedSet) ?? new SortedSet();
        const old = [...set].filter(([, score]) => score <= Number(most));
        for (const [member] of old) set.delete(member);
        return old.length;
      },
      ZRANGEBYSCORE: ([key = '', , most = ''], now) => {
        const before = Number(most.replace('(', ''));
        return [...(this.#read(key, now, isSortedSet) ?? [])]
          .filter(([, score]) => score < before)
          .map(([member]) => member);
      },
    };
  }

  #lists(): Record<string, Command> {
    return {
      RPUSH: ([key = '', value = ''], now) => this.#write(key, now, isList, () => []).push(value),
      LLEN: ([key = ''], now) => this.#read(key, now, isList)?.length ?? 0,
      LINDEX: ([key = '', index], now) => this.#read(key, now, isList)?.[Number(index)] ?? null,
      LRANGE: ([key = '', from, to], now) =>
        this.#read(key, now, isList)?.slice(Number(from), Number(to) + 1) ?? [],
      LPOP: ([key = ''], now) => {
        const list = this.#read(key, now, isList);
        const first = list?.shift() ?? null;
        if (list?.length === 0) this.#slots.delete(key);
        return first;
      },
    };
  }

  #streams(): Record<string, Command> {
    const read = (key: string, now: number): readonly StreamEntry[] =>
      this.#read(key, now, isStream)?.entries ?? [];
    return {
      XADD: ([key = '', id = '*', ...fields], now) => {
        const stream = this.#write(key, now, isStream, () => ({ entries: [], last: [0, 0] }));
        const wanted = id === '*' ? Math.floor(now) : Number.parseInt(id, 10);
        const [milliseconds, sequence] = stream.last;
        stream.last = wanted > milliseconds ? [wanted, 0] : [milliseconds, sequence + 1];
        const entry = { id: stream.last.join('-'), fields };
        stream.entries.push(entry);
        return entry.id;
      },
      XLEN: ([key = ''], now) => read(key, now).length,
      XDEL: ([key = '', id], now) => {
        const entries = this.#read(key, now, isStream)?.entries ?? [];
        const at = entries.findIndex((entry) => entry.id === id);
        if (at < 0) return 0;
        entries.splice(at, 1);
        return 1;
      },
      XRANGE: ([key = '', from = '-', to = '+', , count], now) => {
        const entries = read(key, now);
        // Most ask for the newest.
        let first = entries.length;
        while (first > 0 && isFrom(entries[first - 1]?.id ?? '', from)) first -= 1;
        const end = count === undefined ? entries.length : first + Number(count);
        const found = entries.slice(first, end);
        return (to === '+' ? found : found.filter(({ id }) => compareIds(id, to) <= 0)).map(toReply);
      },
      XREVRANGE: ([key = '', to = '+', , , count], now) => {
        const entries = read(key, now);
        const found = to === '+' ? entries : entries.filter(({ id }) => compareIds(id, to) <= 0);
        return found.slice(-Number(count)).reverse().map(toReply);
      },
    };
  }
}

function toReply({ id, fields }: StreamEntry): unknown {
  return [id, [...fields]];
}

function isFrom(id: string, from: string): boolean {
  if (from.startsWith('(')) return compareIds(id, from.slice(1)) > 0;
  return from === '-' || compareIds(id, from) >= 0;
}

function compareIds(a: string, b: string): number {
  const [aDash, bDash] = [a.indexOf('-'), b.indexOf('-')];
  const milliseconds = Number(a.slice(0, aDash)) - Number(b.slice(0, bDash));
  return milliseconds === 0 ? Number(a.slice(aDash + 1)) - Number(b.slice(bDash + 1)) : milliseconds;
}

function isText(value: Value): value is string {
  return typeof value === 'string';
}

function isHash(value: Value): value is Map<string, string> {
  return value instanceof Map && !(value instanceof SortedSet);
}

function isSortedSet(value: Value): value is SortedSet {
  return value instanceof SortedSet;
}

function isList(value: Value): value is string[] {
  return Array.isArray(value);
}

function isStream(value: Value): value is Stream {
  return typeof value === 'object' && 'entries' in value && !(value instanceof Map);
}
