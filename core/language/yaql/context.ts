import { InternalValue, type YaqlValue } from "./values.ts";

/** Variables of a lambda or of `let`, in addition to those of the enclosing context. */
export class Context extends InternalValue {
	override readonly typeName = "context";
	readonly #values: ReadonlyMap<string, YaqlValue>;
	readonly #outer: Context | undefined;

	constructor(outer?: Context, values: ReadonlyMap<string, YaqlValue> = new Map()) {
		super();
		this.#outer = outer;
		this.#values = values;
	}

	/** Returns a variable; `$` is `$1`. A variable that was never set is null. */
	get(name: string): YaqlValue {
		const value = this.#values.get(name === "$" ? "$1" : name);
		return value === undefined ? (this.#outer?.get(name) ?? null) : value;
	}

	/** Returns a context with the values as `$1`, `$2` and so on. */
	withArguments(values: readonly YaqlValue[]): Context {
		return values.length === 0 ? this : new Context(this, new Map(values.map((value, index) => [`$${index + 1}`, value])));
	}
}
