import { createSecretRedactor } from "../engine/redact.ts";

/** Enough for every execution a node can run at once; a bound all the same, should one not be taken out again. */
const mostValues = 10_000;

/** Secret values that are in use now, and the function that takes them out of a text. */
export class SecretValues {
	// How often each was added: two executions may hold the same secret, and the first to end must not uncover the other's.
	readonly #counts = new Map<string, number>();
	#redact: ((text: string) => string) | undefined;

	add(value: string): void {
		const count = this.#counts.get(value) ?? 0;
		this.#counts.set(value, count + 1);
		if (count > 0) return;
		this.#redact = undefined;
		const [oldest] = this.#counts.keys();
		if (this.#counts.size > mostValues && oldest !== undefined) this.#counts.delete(oldest);
	}

	forget(value: string): void {
		const count = this.#counts.get(value) ?? 0;
		if (count > 1) this.#counts.set(value, count - 1);
		else if (this.#counts.delete(value)) this.#redact = undefined;
	}

	redact(text: string): string {
		this.#redact ??= createSecretRedactor(this.#counts.keys());
		return this.#redact(text);
	}
}
