import type { Expressions, ExpressionUse, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import type { Spot } from "./source.ts";

/** An expression, and where it stands. */
export interface LocatedUse extends ExpressionUse {
	/** What it belongs to, such as all the input of a task. */
	readonly spot: Spot;
	/** Its own line. */
	readonly line: number;
}

/** Finds expressions. */
export class ExpressionFinder {
	readonly #expressions: Expressions;
	readonly #functions: readonly string[] | undefined;
	readonly #known = new Map<string, readonly ExpressionUse[]>();

	/** @param functions names that expressions may call; undefined: calls are not checked */
	constructor(expressions: Expressions, functions?: readonly string[]) {
		this.#expressions = expressions;
		this.#functions = functions;
	}

	/** All expressions of what stands in a place, names of members included. */
	find(spot: Spot): readonly LocatedUse[] {
		return this.#findBelow(spot, spot);
	}

	/** Those of a value that a text in this place stands for. */
	findIn(value: JsonValue, spot: Spot): readonly LocatedUse[] {
		if (typeof value === "string") return this.#findInText(value).map((use) => ({ ...use, spot, line: spot.line }));
		if (Array.isArray(value)) return value.flatMap((each) => this.findIn(each, spot));
		if (!isObject(value)) return [];
		return Object.entries(value).flatMap(([name, each]) => [...this.findIn(name, spot), ...this.findIn(each, spot)]);
	}

	#findBelow(below: Spot, spot: Spot): readonly LocatedUse[] {
		const locate = (text: string, { line }: Spot) => this.#findInText(text).map((use) => ({ ...use, spot, line }));
		if (typeof below.value === "string") return locate(below.value, below);
		const elements = Array.from({ length: below.length() }, (_, index) => this.#findBelow(below.at(index), spot));
		const members = below.names().map((name) => {
			const member = below.at(name);
			return [...locate(name, member), ...this.#findBelow(member, spot)];
		});
		return [...elements, ...members].flat();
	}

	#findInText(text: string): readonly ExpressionUse[] {
		if (!/<%|\{[{%]/.test(text)) return [];
		const uses = this.#known.get(text) ?? this.#expressions.find(text, undefined, this.#functions);
		this.#known.set(text, uses);
		return uses;
	}
}
