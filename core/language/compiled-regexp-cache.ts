/** An expression that can be made again. */
export interface ExpressionSource {
	readonly pattern: string;
	readonly flags: string;
	/** What keeping it costs, in units of `toCompileCost`: one takes up to 10 kB. */
	readonly cost: number;
}

/**
 * Expressions with what the runtime has compiled for them. All of that shares 128 MB of the process, which ends when there is no room left:
 * those that have not been used for the longest time are dropped, and made again when they are.
 */
export class CompiledExpressions {
	readonly #most: number;
	readonly #kept = new Map<ExpressionSource, RegExp>();
	#cost = 0;

	/** `most`: what all that are kept may cost together. */
	constructor(most = 3_000) {
		this.#most = most;
	}

	/** Throws `SyntaxError` for what is no expression. */
	of(source: ExpressionSource): RegExp {
		const known = this.#kept.get(source);
		if (known !== undefined) {
			this.#kept.delete(source);
			this.#kept.set(source, known);
			return known;
		}
		const made = new RegExp(source.pattern, source.flags);
		this.#kept.set(source, made);
		this.#cost += source.cost;
		for (const oldest of this.#kept.keys()) {
			if (this.#cost <= this.#most || oldest === source) break;
			this.#kept.delete(oldest);
			this.#cost -= oldest.cost;
		}
		return made;
	}

	get cost(): number {
		return this.#cost;
	}
}
