import { InternalValue } from "./internal-value.ts";
import type { YaqlValue } from "./values.ts";

/** Values of variables: those of a lambda or of `let`, on top of those outside. */
export class Context extends InternalValue {
	override readonly typeName = "context";
	readonly #values: ReadonlyMap<string, YaqlValue>;
	readonly #outer: Context | undefined;

	constructor(outer?: Context, values: ReadonlyMap<string, YaqlValue> = new Map()) {
		super();
		this.#outer = outer;
		this.#values = values;
	}

	/** `$` is `$1`. What was never set is null. */
	get(name: string): YaqlValue {
		const own = this.#values.get(name === "$" ? "$1" : name);
		return own === undefined ? (this.#outer?.get(name) ?? null) : own;
	}

	/** With `$1`, `$2` … */
	withArguments(values: readonly YaqlValue[]): Context {
		return values.length === 0 ? this : new Context(this, new Map(values.map((value, index) => [`$${index + 1}`, value])));
	}
}
