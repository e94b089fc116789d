/** Who listens to what within this process. */

export class Receivers<Message extends readonly unknown[]> {
  readonly #topics = new Map<string, Set<(...message: Message) => void>>();

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Returns what removes it; the same function may be added twice. */
  add(topic: string, receive: (...message: Message) => void): () => void {
    const receivers = this.#topics.get(topic) ?? new Set();
    const receiver = (...message: Message): void => receive(...message);
    receivers.add(receiver);
    this.#topics.set(topic, receivers);
    return () => {
      receivers.delete(receiver);
      if (receivers.size === 0 && this.#topics.get(topic) === receivers) this.#topics.delete(topic);
    };
  }

  tell(topic: string, ...message: Message): void {
    for (const receive of this.#topics.get(topic) ?? []) receive(...message);
  }
}
