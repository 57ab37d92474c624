import { Redactor } from "../../secrets/redactor.ts";

/** Limits memory even if values are never removed. Enough for all executions that a node can run at once. */
const limits = { values: 10_000, characters: 1_000_000 };
/** Number of leading characters of a value that are searched for. `Redactor` also searches for each line of a value separately. */
const maxSearchedCharacters = 4_096;
/** Values that may be added or removed before the combined redactor is rebuilt. The cost of a rebuild grows with the number of values. */
const maxSingle = 32;

/** The secret values in use, and the redactors that mask them. */
export class SecretValues {
	// Number of times that each value was added. Two executions may use the same secret; the first to end must not unmask it for the other.
	readonly #counts = new Map<string, number>();
	/** Redactor of the values that were in use at the last rebuild, including removed ones. */
	#together = Redactor.none;
	#gone = 0;
	readonly #single = new Map<string, Redactor>();
	#characters = 0;

	add(secret: string): void {
		const value = secret.slice(0, maxSearchedCharacters);
		const count = this.#counts.get(value) ?? 0;
		this.#counts.set(value, count + 1);
		if (count > 0) return;
		this.#characters += value.length;
		for (const oldest of this.#counts.keys()) {
			if (this.#counts.size <= limits.values && this.#characters <= limits.characters) break;
			this.#remove(oldest);
		}
		this.#single.set(value, new Redactor([value]));
		if (this.#single.size > maxSingle) this.#putTogether();
	}

	forget(secret: string): void {
		const value = secret.slice(0, maxSearchedCharacters);
		const count = this.#counts.get(value) ?? 0;
		if (count > 1) this.#counts.set(value, count - 1);
		else if (count === 1) this.#remove(value);
	}

	/** Returns the redactors that together mask every value in use. Apply them one after the other, each to the result of the previous one. */
	redactors(): readonly Redactor[] {
		return this.#together.isEmpty ? [...this.#single.values()] : [this.#together, ...this.#single.values()];
	}

	#remove(value: string): void {
		this.#counts.delete(value);
		this.#characters -= value.length;
		if (this.#single.delete(value)) return;
		this.#gone += 1;
		if (this.#gone > maxSingle || this.#gone >= this.#together.values.length) this.#putTogether();
	}

	#putTogether(): void {
		this.#together = new Redactor(this.#counts.keys(), { isBounded: false });
		this.#single.clear();
		this.#gone = 0;
	}
}
