import { type Document, isAlias, isCollection, isMap, isPair, isScalar, isSeq, type LineCounter } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue, SvcError, toErrorMessage } from "../../../contract/index.ts";
import { assertYamlDepth, maxFileTokens, parseYamlDocument } from "../../../language/yaml-document.ts";

/** Problem at a line of a YAML file. */
export interface LineProblem {
	/** Line number, starting at 1; null if it is unknown. */
	readonly line: number | null;
	readonly message: string;
}

/** Maximum number of errors reported for one file, because the parser's later errors are guesses. */
const maxErrors = 20;

/** Parsed YAML, with the line of each member. */
export class LocatedYaml {
	/** Errors of the YAML syntax, at most 20. If there are any, `value` is undefined. */
	readonly problems: readonly LineProblem[];
	readonly value: JsonValue | undefined;
	readonly #document: Document | undefined;
	readonly #lines: LineCounter | undefined;

	constructor(text: string) {
		try {
			const { document, lines } = parseYamlDocument(text, { merge: true, stringKeys: true, maxTokens: maxFileTokens });
			this.#document = document;
			this.#lines = lines;
			this.problems = document.errors.slice(0, maxErrors).map((error) => ({
				line: lines.linePos(error.pos[0]).line,
				message: error.code === "NON_STRING_KEY" ? `${error.message}; put a value that begins with a brace in quotes` : error.message,
			}));
			this.value = this.problems.length > 0 ? undefined : toValue(document);
		} catch (error) {
			this.problems = [toLineProblem(toErrorMessage(error))];
		}
	}

	/** The object that the YAML contains. Throws `SVC_INVALID` if it contains something else. */
	get object(): JsonObject {
		if (!isJsonObject(this.value)) throw new SvcError("SVC_INVALID", "must be an object of attributes");
		return this.value;
	}

	/** Returns the line of a member, or of its closest existing ancestor. Returns null if there is none. */
	lineOf(path: readonly string[]): number | null {
		let place = this.#document?.contents ?? null;
		let line: number | null = null;
		for (const name of path) {
			if (isAlias(place) && this.#document !== undefined) place = place.resolve(this.#document) ?? null;
			const found = step(place, name);
			if (found === undefined) return line;
			line = found.offset === undefined || this.#lines === undefined ? line : this.#lines.linePos(found.offset).line;
			place = found.node as typeof place;
		}
		return line;
	}
}

interface Step {
	readonly node: unknown;
	readonly offset: number | undefined;
}

function step(place: unknown, name: string): Step | undefined {
	if (isMap(place)) {
		const pair = place.items.find(({ key }) => String(isScalar(key) ? key.value : key) === name);
		if (!isPair(pair)) return undefined;
		return { node: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined };
	}
	if (!isSeq(place) || !/^\d+$/.test(name)) return undefined;
	const node: unknown = place.items[Number(name)];
	if (node === undefined) return undefined;
	return { node, offset: isCollection(node) || isScalar(node) ? node.range?.[0] : undefined };
}

/** Returns the plain value, with aliases resolved. Throws if there are too many aliases or levels. */
function toValue(document: Document): JsonValue {
	const value = document.toJS({ maxAliasCount: 100 }) as JsonValue;
	assertYamlDepth(value);
	return value;
}

function toLineProblem(message: string): LineProblem {
	const [, line, rest] = /^line (\d+): (.*)$/s.exec(message) ?? [];
	return line === undefined ? { line: null, message } : { line: Number(line), message: rest ?? "" };
}
