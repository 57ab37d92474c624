import { isJsonObject, type JsonValue } from "../../contract/index.ts";
import { Budget, defaultLimits } from "./budget.ts";
import { TemplateError } from "./errors.ts";

/** A path into JSON, such as `trigger.items[0].id`, `$.a["b c"]`, `a[*].b`, `a[1:3]`, `a..b` or `a['x', 'y']`. */
export interface JsonPath {
	/** Whether its first step is a member of this name. */
	isUnder(name: string): boolean;
	/** Whether each of its steps is one member: it leads to one value at most, and `first` finds it at once. */
	readonly isPlain: boolean;
	/** What it leads to, in order, until `visit` returns true. */
	walk(value: JsonValue, visit: (found: JsonValue) => boolean, budget?: Budget): boolean;
	/** The first value it leads to; undefined when there is none. */
	first(value: JsonValue): JsonValue | undefined;
}

type Step =
	| { readonly kind: "members"; readonly names: readonly string[] }
	| { readonly kind: "indexes"; readonly indexes: readonly number[] }
	| { readonly kind: "slice"; readonly start: number | undefined; readonly stop: number | undefined }
	| { readonly kind: "all" }
	| { readonly kind: "descendants" };

const name = /[\p{L}_@][\p{L}\p{N}_@-]*/uy;
const quoted = /'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"/y;
const integer = /-?\d+/y;
const longestPath = 1_000;

/** Read a path; a leading `$` may be left out. `TemplateError` when it is none. */
export function parseJsonPath(text: string): JsonPath {
	if (text.length > longestPath) throw new TemplateError(`a path is longer than ${longestPath} characters`);
	const steps = new PathReader(text.trim()).read();
	const walk: JsonPath["walk"] = (value, visit, budget = new Budget(defaultLimits)) => follow({ steps, visit, budget }, 0, value, 0);
	const [root] = steps;
	const members = toMembers(steps);
	return {
		isUnder: (member) => root?.kind === "members" && root.names.length === 1 && root.names[0] === member,
		isPlain: members !== undefined,
		walk,
		first(value) {
			if (members !== undefined) return memberAt(value, members);
			let first: JsonValue | undefined;
			walk(value, (found) => {
				first = found;
				return true;
			});
			return first;
		},
	};
}

/** The names, where each step is one member: most paths are, and such a one is followed without looking for more than one value. */
function toMembers(steps: readonly Step[]): readonly string[] | undefined {
	const names = steps.flatMap((step) => (step.kind === "members" && step.names.length === 1 ? step.names : []));
	return names.length === steps.length ? names : undefined;
}

function memberAt(value: JsonValue, names: readonly string[]): JsonValue | undefined {
	let found: JsonValue | undefined = value;
	for (const member of names) {
		if (found === undefined || !isJsonObject(found) || !Object.hasOwn(found, member)) return undefined;
		found = found[member];
	}
	return found;
}

interface Walk {
	readonly steps: readonly Step[];
	readonly visit: (found: JsonValue) => boolean;
	readonly budget: Budget;
}

function follow(walk: Walk, index: number, value: JsonValue, depth: number): boolean {
	walk.budget.step();
	walk.budget.depth(depth);
	const step = walk.steps[index];
	if (step === undefined) return walk.visit(value);
	if (step.kind === "descendants") {
		if (follow(walk, index + 1, value, depth)) return true;
		return childrenOf(value).some((child) => follow(walk, index, child, depth + 1));
	}
	return selected(step, value).some((child) => follow(walk, index + 1, child, depth));
}

function selected(step: Exclude<Step, { kind: "descendants" }>, value: JsonValue): readonly JsonValue[] {
	switch (step.kind) {
		case "members":
			if (!isJsonObject(value)) return [];
			return step.names.filter((member) => Object.hasOwn(value, member)).map((member) => value[member] as JsonValue);
		case "indexes":
			if (!isList(value)) return [];
			return step.indexes.map((index) => value.at(index)).filter((element) => element !== undefined);
		case "slice":
			return isList(value) ? value.slice(step.start, step.stop) : [];
		case "all":
			return childrenOf(value);
	}
}

function childrenOf(value: JsonValue): readonly JsonValue[] {
	if (isList(value)) return value;
	return isJsonObject(value) ? Object.values(value) : [];
}

function isList(value: JsonValue): value is readonly JsonValue[] {
	return Array.isArray(value);
}

class PathReader {
	readonly #text: string;
	#position = 0;

	constructor(text: string) {
		this.#text = text;
	}

	read(): readonly Step[] {
		const steps: Step[] = [];
		if (this.#take("$")) {
			if (this.#position === this.#text.length) return steps;
		} else if (this.#text[0] !== "[") this.#afterDot(steps);
		while (this.#position < this.#text.length) {
			if (this.#take("..")) {
				steps.push({ kind: "descendants" });
				if (this.#text[this.#position] !== "[") this.#afterDot(steps);
			} else if (this.#take(".")) this.#afterDot(steps);
			else if (this.#take("[")) steps.push(this.#bracket());
			else throw this.#error();
		}
		return steps;
	}

	#afterDot(steps: Step[]): void {
		// Both `.` and `["x"]` may follow one another, as in `a.["b"]`.
		if (this.#take("[")) steps.push(this.#bracket());
		else if (this.#take("*")) steps.push({ kind: "all" });
		else steps.push({ kind: "members", names: [this.#name()] });
	}

	#bracket(): Step {
		const step = this.#take("*") ? ({ kind: "all" } as const) : (this.#indexes() ?? this.#names());
		if (!this.#take("]")) throw this.#error();
		return step;
	}

	#indexes(): Step | undefined {
		const start = this.#integer();
		if (this.#take(":")) return { kind: "slice", start, stop: this.#integer() };
		if (start === undefined) return undefined;
		const indexes = [start];
		while (this.#take(",")) {
			const next = this.#integer();
			if (next === undefined) throw this.#error();
			indexes.push(next);
		}
		return { kind: "indexes", indexes };
	}

	#names(): Step {
		const names = [this.#name()];
		while (this.#take(",")) names.push(this.#name());
		return { kind: "members", names };
	}

	#name(): string {
		const literal = this.#match(quoted);
		if (literal !== undefined) return literal.slice(1, -1).replace(/\\([^])/g, "$1");
		const plain = this.#match(name);
		if (plain === undefined) throw this.#error();
		return plain;
	}

	#integer(): number | undefined {
		const digits = this.#match(integer);
		return digits === undefined ? undefined : Number(digits);
	}

	#match(pattern: RegExp): string | undefined {
		this.#skipBlanks();
		pattern.lastIndex = this.#position;
		const found = pattern.exec(this.#text)?.[0];
		this.#position += found?.length ?? 0;
		return found;
	}

	#take(text: string): boolean {
		this.#skipBlanks();
		if (!this.#text.startsWith(text, this.#position)) return false;
		this.#position += text.length;
		return true;
	}

	#skipBlanks(): void {
		while (this.#text[this.#position] === " ") this.#position++;
	}

	#error(): TemplateError {
		const rest = this.#text.slice(this.#position, this.#position + 20);
		return new TemplateError(rest === "" ? "the path ends too early" : `the path cannot be read from "${rest}" on`);
	}
}
