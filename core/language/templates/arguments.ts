import { TemplateError } from "./errors.ts";
import { isTrue, numberOf, typeName, type Value } from "./values.ts";

/** Arguments of a filter, test, method or function, which can be read by position or name. */
export class Arguments {
	readonly positional: readonly Value[];
	readonly named: ReadonlyMap<string, Value>;
	/** Name of the called function, method, filter or test, with which messages begin. */
	readonly #owner: string;

	constructor(owner: string, positional: readonly Value[], named: ReadonlyMap<string, Value> = new Map()) {
		this.#owner = owner;
		this.positional = positional;
		this.named = named;
	}

	/** Returns an argument; undefined if it is absent. */
	get(index: number, name: string): Value | undefined {
		return this.positional[index] ?? (index < this.positional.length ? null : this.named.get(name));
	}

	/** Returns an argument. Throws `TemplateError` if it is absent. */
	required(index: number, name: string): Value {
		const value = this.get(index, name);
		if (value === undefined) throw this.error(`needs the argument "${name}"`);
		return value;
	}

	/** Returns a string argument. Throws `TemplateError` if it is absent or not a string. */
	text(index: number, name: string, fallback?: string): string {
		const value = this.get(index, name) ?? fallback;
		if (typeof value === "string") return value;
		throw this.error(value === undefined ? `needs the argument "${name}"` : `needs a string for "${name}", not ${typeName(value)}`);
	}

	/** Returns an integer argument. Throws `TemplateError` if it is absent or not an integer. */
	integer(index: number, name: string, fallback?: number): number {
		const value = this.get(index, name) ?? fallback;
		const number = value === undefined ? undefined : numberOf(value);
		if (typeof number === "number" && Number.isSafeInteger(number)) return number;
		throw this.error(value === undefined ? `needs the argument "${name}"` : `needs an integer for "${name}"`);
	}

	/** Returns true if an argument is true by the rules of Python; `fallback` if it is absent. */
	flag(index: number, name: string, fallback: boolean): boolean {
		const value = this.get(index, name);
		return value === undefined ? fallback : isTrue(value);
	}

	/** Returns the arguments after the first `count`, as the arguments of `owner`: a filter or test that an earlier argument names. */
	after(count: number, owner: string): Arguments {
		return new Arguments(owner, this.positional.slice(count), this.named);
	}

	error(message: string): TemplateError {
		return new TemplateError(`${this.#owner} ${message}`);
	}
}
