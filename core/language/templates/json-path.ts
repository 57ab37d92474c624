import { isJsonObject, type JsonValue } from "../../contract/index.ts";
import { Budget, defaultLimits } from "./budget.ts";
import { TemplateError } from "./errors.ts";

/** Path into JSON, such as `trigger.items[0].id`, `$.a["b c"]`, `a[*].b`, `a[1:3]`, `a..b` or `a['x', 'y']`. */
export interface JsonPath {
	/** Returns true if the first step of the path is the member of this name. */
	startsWithMember(name: string): boolean;
	/** True if each step is a single member, so that the path leads to at most one value. */
	readonly isSingleValued: boolean;
	/** Calls `visit` for each value at the path, in order, until it returns true. Returns true if `visit` did. */
	walk(value: JsonValue, visit: (found: JsonValue) => boolean, budget?: Budget): boolean;
	/** Returns the first value at the path; undefined if there is none. */
	first(value: JsonValue): JsonValue | undefined;
}

type PathStep =
	| { readonly kind: "members"; readonly names: readonly string[] }
	| { readonly kind: "indexes"; readonly indexes: readonly number[] }
	| { readonly kind: "slice"; readonly start: number | undefined; readonly stop: number | undefined }
	| { readonly kind: "all" }
	| { readonly kind: "descendants" };

const namePattern = /[\p{L}_@][\p{L}\p{N}_@-]*/uy;
const quotedPattern = /'((?:[^'\\]|\\[^])*)'|"((?:[^"\\]|\\[^])*)"/y;
const integerPattern = /-?\d+/y;
const maxPathLength = 1_000;

/** Parses a path; a leading `$` is optional. Throws `TemplateError` if it is not valid. */
export function parseJsonPath(text: string): JsonPath {
	if (text.length > maxPathLength) throw new TemplateError(`a path is longer than ${maxPathLength} characters`);
	const steps = new PathReader(text.trim()).read();
	const walk: JsonPath["walk"] = (value, visit, budget = new Budget(defaultLimits)) => walkFrom({ steps, visit, budget }, 0, value, 0);
	const [root] = steps;
	const members = toMemberNames(steps);
	return {
		startsWithMember: (member) => root?.kind === "members" && root.names.length === 1 && root.names[0] === member,
		isSingleValued: members !== undefined,
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

/** Returns the member names if each step is a single member, otherwise undefined. Most paths are of this kind, and need no search. */
function toMemberNames(steps: readonly PathStep[]): readonly string[] | undefined {
	const names = steps.flatMap((step) => (step.kind === "members" && step.names.length === 1 ? step.names : []));
	return names.length === steps.length ? names : undefined;
}

function memberAt(value: JsonValue, names: readonly string[]): JsonValue | undefined {
	let current: JsonValue | undefined = value;
	for (const member of names) {
		if (current === undefined || !isJsonObject(current) || !Object.hasOwn(current, member)) return undefined;
		current = current[member];
	}
	return current;
}

interface PathWalk {
	readonly steps: readonly PathStep[];
	readonly visit: (found: JsonValue) => boolean;
	readonly budget: Budget;
}

function walkFrom(walk: PathWalk, index: number, value: JsonValue, depth: number): boolean {
	walk.budget.spendSteps();
	walk.budget.checkDepth(depth);
	const step = walk.steps[index];
	if (step === undefined) return walk.visit(value);
	if (step.kind === "descendants") {
		if (walkFrom(walk, index + 1, value, depth)) return true;
		return childrenOf(value).some((child) => walkFrom(walk, index, child, depth + 1));
	}
	return selectChildren(step, value).some((child) => walkFrom(walk, index + 1, child, depth));
}

function selectChildren(step: Exclude<PathStep, { kind: "descendants" }>, value: JsonValue): readonly JsonValue[] {
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

	read(): readonly PathStep[] {
		const steps: PathStep[] = [];
		if (this.#take("$")) {
			if (this.#position === this.#text.length) return steps;
		} else if (this.#text[0] !== "[") this.#readAfterDot(steps);
		while (this.#position < this.#text.length) {
			if (this.#take("..")) {
				steps.push({ kind: "descendants" });
				if (this.#text[this.#position] !== "[") this.#readAfterDot(steps);
			} else if (this.#take(".")) this.#readAfterDot(steps);
			else if (this.#take("[")) steps.push(this.#readBracket());
			else throw this.#error();
		}
		return steps;
	}

	#readAfterDot(steps: PathStep[]): void {
		// A subscript may follow a dot, as in `a.["b"]`.
		if (this.#take("[")) steps.push(this.#readBracket());
		else if (this.#take("*")) steps.push({ kind: "all" });
		else steps.push({ kind: "members", names: [this.#readName()] });
	}

	#readBracket(): PathStep {
		const step = this.#take("*") ? ({ kind: "all" } as const) : (this.#readIndexes() ?? this.#readNames());
		if (!this.#take("]")) throw this.#error();
		return step;
	}

	#readIndexes(): PathStep | undefined {
		const start = this.#readInteger();
		if (this.#take(":")) return { kind: "slice", start, stop: this.#readInteger() };
		if (start === undefined) return undefined;
		const indexes = [start];
		while (this.#take(",")) {
			const next = this.#readInteger();
			if (next === undefined) throw this.#error();
			indexes.push(next);
		}
		return { kind: "indexes", indexes };
	}

	#readNames(): PathStep {
		const names = [this.#readName()];
		while (this.#take(",")) names.push(this.#readName());
		return { kind: "members", names };
	}

	#readName(): string {
		const literal = this.#readPattern(quotedPattern);
		if (literal !== undefined) return literal.slice(1, -1).replace(/\\([^])/g, "$1");
		const plain = this.#readPattern(namePattern);
		if (plain === undefined) throw this.#error();
		return plain;
	}

	#readInteger(): number | undefined {
		const digits = this.#readPattern(integerPattern);
		return digits === undefined ? undefined : Number(digits);
	}

	#readPattern(pattern: RegExp): string | undefined {
		this.#skipBlanks();
		pattern.lastIndex = this.#position;
		const match = pattern.exec(this.#text)?.[0];
		this.#position += match?.length ?? 0;
		return match;
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
		return new TemplateError(rest === "" ? "the path ends too early" : `the path is invalid at "${rest}"`);
	}
}
