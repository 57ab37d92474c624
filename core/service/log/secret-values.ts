import { Redactor } from "../../secrets/redactor.ts";

/** Enough for every execution a node can run at once; bounds all the same, should one not be taken out again. */
const most = { values: 10_000, characters: 1_000_000 };
/** Of a longer value so much is looked for, and each line of that. */
const longest = 4_096;
/** Values that came or went since those before them were put together, which costs more the more they are. */
const mostSingle = 32;

/** Secret values that are in use now, and the function that takes them out of a text. */
export class SecretValues {
	// How often each was added: two executions may hold the same secret, and the first to end must not uncover the other's.
	readonly #counts = new Map<string, number>();
	/** Those that were in use for a while; some may have gone. */
	#together = Redactor.none;
	#gone = 0;
	readonly #single = new Map<string, Redactor>();
	#characters = 0;

	add(secret: string): void {
		const value = secret.slice(0, longest);
		const count = this.#counts.get(value) ?? 0;
		this.#counts.set(value, count + 1);
		if (count > 0) return;
		this.#characters += value.length;
		for (const oldest of this.#counts.keys()) {
			if (this.#counts.size <= most.values && this.#characters <= most.characters) break;
			this.#remove(oldest);
		}
		this.#single.set(value, new Redactor([value]));
		if (this.#single.size > mostSingle) this.#putTogether();
	}

	forget(secret: string): void {
		const value = secret.slice(0, longest);
		const count = this.#counts.get(value) ?? 0;
		if (count > 1) this.#counts.set(value, count - 1);
		else if (count === 1) this.#remove(value);
	}

	redact(text: string): string {
		let redacted = this.#together.redactText(text);
		for (const secret of this.#single.values()) redacted = secret.redactText(redacted);
		return redacted;
	}

	#remove(value: string): void {
		this.#counts.delete(value);
		this.#characters -= value.length;
		if (this.#single.delete(value)) return;
		this.#gone += 1;
		if (this.#gone > mostSingle || this.#gone >= this.#together.values.length) this.#putTogether();
	}

	#putTogether(): void {
		this.#together = new Redactor(this.#counts.keys(), { isBounded: false });
		this.#single.clear();
		this.#gone = 0;
	}
}
