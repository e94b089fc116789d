/** The events of sessions, in the memory of this process. */

import type { MemorySettings } from './memory.js';
import { Receivers } from './receivers.js';
import { type EventLog, type LoggedEvent, NEVER_SEEN_MS } from './store.js';

interface Entry extends LoggedEvent {
  readonly stream: string;
  readonly at: number;
  /** The change that it reports. */
  readonly change: string | undefined;
}

interface SessionLog {
  readonly entries: Entry[];
  characters: number;
}

/** What has to be remembered even when the events of the session had to make room for others. */
interface Marks {
  /** The last change that the session received. */
  heard?: string;
  /** The stream on which it receives changes. */
  current?: string;
  /** The last change that its client has certainly seen, and when it last came for the stream. */
  unseen?: { readonly heard: string; readonly at: number };
  /** Notes of streams that have not ended. */
  readonly notes: Map<string, string>;
}

/** Logs in the order of their last event, so that the total limit takes from those that were silent longest. */
export class MemoryEventLog implements EventLog {
  readonly origin: string = '0';
  readonly #settings: MemorySettings;
  readonly #isAlive: (session: string) => boolean;
  readonly #logs = new Map<string, SessionLog>();
  readonly #marks = new Map<string, Marks>();
  readonly #watchers = new Receivers<[]>();
  #total = 0;
  #next = 1;

  constructor(settings: MemorySettings, isAlive: (session: string) => boolean) {
    this.#settings = settings;
    this.#isAlive = isAlive;
  }

  append(session: string, stream: string, data: string | undefined): string {
    return this.#append(session, stream, data, undefined);
  }

  #append(session: string, stream: string, data: string | undefined, change: string | undefined): string {
    // A call may outlive its session; a log made for it now would never be dropped.
    if (!this.#isAlive(session)) return this.#nextId();
    if (data === undefined) this.#marks.get(session)?.notes.delete(stream);
    const log = this.#logs.get(session) ?? { entries: [], characters: 0 };
    this.#logs.delete(session);
    this.#logs.set(session, log);
    const id = this.#nextId();
    log.entries.push({ id, data, stream, at: this.#settings.now(), change });
    this.#count(log, data?.length ?? 0);
    this.#trim(log);
    for (const [oldest, other] of this.#logs) {
      if (this.#total <= this.#settings.maxTotalEventBytes || other === log) break;
      this.#forget(oldest);
    }
    this.#watchers.tell(stream);
    return id;
  }

  appendChange(session: string, stream: string, data: string, change: string): string | false | undefined {
    if (!this.#isAlive(session)) return undefined;
    const marks = this.#marksOf(session);
    if (marks.current !== stream) return false;
    if (marks.heard !== undefined && toNumber(change) <= toNumber(marks.heard)) return undefined;
    marks.heard = change;
    return this.#append(session, stream, data, change);
  }

  claim(session: string, stream: string, initial: string, seen?: string): string {
    if (!this.#isAlive(session)) return initial;
    const marks = this.#marksOf(session);
    marks.heard ??= initial;
    const { unseen } = marks;
    const now = this.#settings.now();
    const isOther = marks.current !== stream;
    const isFresh = unseen !== undefined && now - unseen.at < NEVER_SEEN_MS;
    if (isOther && isFresh && seen === undefined) marks.heard = unseen.heard;
    const known = seen === undefined ? undefined : this.#changeAt(session, stream, seen);
    if (!isOther) marks.unseen = { heard: known ?? unseen?.heard ?? marks.heard, at: now };
    else {
      const kept = isFresh ? unseen : { heard: marks.heard, at: now };
      const isLater = known !== undefined && toNumber(known) > toNumber(kept.heard);
      marks.unseen = isLater ? { heard: known, at: now } : kept;
    }
    marks.current = stream;
    return marks.heard;
  }

  isCurrent(session: string, stream: string): boolean {
    return this.#marks.get(session)?.current === stream;
  }

  settle(session: string, stream: string): void {
    const marks = this.#marks.get(session);
    if (marks?.current === stream) delete marks.unseen;
  }

  watch(_session: string, stream: string, wake: () => void): () => void {
    return this.#watchers.add(stream, wake);
  }

  begin(session: string, stream: string, note: string): void {
    if (this.#isAlive(session)) this.#marksOf(session).notes.set(stream, note);
  }

  unfinished(session: string, stream: string): string | undefined {
    return this.#marks.get(session)?.notes.get(stream);
  }

  abandon(session: string, stream: string, last: readonly string[]): boolean {
    if (this.#marks.get(session)?.notes.delete(stream) !== true) return false;
    for (const data of [...last, undefined]) this.append(session, stream, data);
    return true;
  }

  replay(session: string, stream: string, after: string): readonly LoggedEvent[] {
    const log = this.#logs.get(session);
    if (log === undefined) return [];
    this.#trim(log);
    const from = toNumber(after);
    return log.entries.filter((entry) => entry.stream === stream && toNumber(entry.id) > from);
  }

  drop(session: string): void {
    this.#forget(session);
    this.#marks.delete(session);
  }

  /** The last change that was reported up to this event. */
  #changeAt(session: string, stream: string, event: string): string | undefined {
    const until = toNumber(event);
    return this.#logs
      .get(session)
      ?.entries.findLast((entry) => entry.stream === stream && toNumber(entry.id) <= until && entry.change)
      ?.change;
  }

  #forget(session: string): void {
    const log = this.#logs.get(session);
    if (log === undefined) return;
    this.#logs.delete(session);
    this.#total -= log.characters;
  }

  #marksOf(session: string): Marks {
    const marks = this.#marks.get(session) ?? { notes: new Map() };
    this.#marks.set(session, marks);
    return marks;
  }

  #nextId(): string {
    return (this.#next++).toString(36);
  }

  #trim(log: SessionLog): void {
    const { maxEvents, maxEventBytes, eventAge, now } = this.#settings;
    const oldest = now() - eventAge;
    let dropped = 0;
    for (const entry of log.entries) {
      const left = log.entries.length - dropped;
      // The newest event stays however large it is: it is the one a client is waiting for.
      const tooMany = left > maxEvents || (left > 1 && log.characters > maxEventBytes);
      if (!tooMany && entry.at >= oldest) break;
      this.#count(log, -(entry.data?.length ?? 0));
      dropped += 1;
    }
    if (dropped > 0) log.entries.splice(0, dropped);
  }

  #count(log: SessionLog, characters: number): void {
    log.characters += characters;
    this.#total += characters;
  }
}

/** Ids count up, in base 36. */
function toNumber(id: string): number {
  return Number.parseInt(id, 36);
}
