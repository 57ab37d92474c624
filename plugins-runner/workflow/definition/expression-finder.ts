import type { Expressions, FoundExpression, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import type { SourceNode } from "./source-node.ts";

/** Expression and its location. */
export interface LocatedUse extends FoundExpression {
	/** Location of the whole value that contains it, such as the input of a task. */
	readonly spot: SourceNode;
	/** Line of the expression itself. */
	readonly line: number;
}

/** Finds the expressions in a definition. */
export class ExpressionFinder {
	readonly #expressions: Expressions;
	readonly #functions: readonly string[] | undefined;
	readonly #usesByText = new Map<string, readonly FoundExpression[]>();

	/** @param functions Names of functions that expressions may call. If undefined, calls are not checked. */
	constructor(expressions: Expressions, functions?: readonly string[]) {
		this.#expressions = expressions;
		this.#functions = functions;
	}

	/** Returns all expressions at a location and below it, including those in names of members. */
	find(spot: SourceNode): readonly LocatedUse[] {
		return this.#findBelow(spot, spot);
	}

	/** Returns the expressions in a value. They are located at `spot`, whose string was expanded to the value. */
	findIn(value: JsonValue, spot: SourceNode): readonly LocatedUse[] {
		if (typeof value === "string") return this.#findInText(value).map((use) => ({ ...use, spot, line: spot.line }));
		if (Array.isArray(value)) return value.flatMap((each) => this.findIn(each, spot));
		if (!isObject(value)) return [];
		return Object.entries(value).flatMap(([name, each]) => [...this.findIn(name, spot), ...this.findIn(each, spot)]);
	}

	#findBelow(below: SourceNode, spot: SourceNode): readonly LocatedUse[] {
		const locate = (text: string, { line }: SourceNode) => this.#findInText(text).map((use) => ({ ...use, spot, line }));
		if (typeof below.value === "string") return locate(below.value, below);
		const elements = Array.from({ length: below.length() }, (_, index) => this.#findBelow(below.at(index), spot));
		const members = below.names().map((name) => {
			const member = below.at(name);
			return [...locate(name, member), ...this.#findBelow(member, spot)];
		});
		return [...elements, ...members].flat();
	}

	#findInText(text: string): readonly FoundExpression[] {
		if (!/<%|\{[{%]/.test(text)) return [];
		const uses = this.#usesByText.get(text) ?? this.#expressions.find(text, undefined, this.#functions);
		this.#usesByText.set(text, uses);
		return uses;
	}
}
