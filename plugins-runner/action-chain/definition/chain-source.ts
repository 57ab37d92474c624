import { type Document, isNode, LineCounter } from "yaml";
import { type JsonObject, type JsonValue, SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { parseDefinition } from "./parse-definition.ts";

/** Maximum characters of a definition. */
export const maxDefinitionLength = 500_000;

/** Position of a value in a definition: keys and indexes from the top. */
export type Path = readonly (string | number)[];

/** Parsed definition of a chain in YAML or JSON. Maps each value to its line. */
export class ChainSource {
	readonly text: string;
	readonly value: JsonObject;
	readonly #lines = new LineCounter();
	readonly #document: Document;

	/**
	 * Parses the definition. Throws `SVC_INVALID` unless it contains an object, with `facts.line` if the line of the error is available.
	 */
	constructor(text: string) {
		if (text.length > maxDefinitionLength) throw new SvcError("SVC_INVALID", `a chain may have at most ${maxDefinitionLength} characters`);
		this.text = text;
		this.#document = this.#parse();
		this.value = this.#read();
	}

	/**
	 * Returns the line of a value, counted from 1. For a missing value, returns the line of the nearest existing parent; null if there is
	 * none.
	 */
	lineOf(path: Path): number | null {
		for (let length = path.length; length > 0; length--) {
			const node = this.#document.getIn(path.slice(0, length), true);
			if (isNode(node) && node.range) return this.#lines.linePos(node.range[0]).line;
		}
		return null;
	}

	#parse(): Document {
		const document = parseDefinition(this.text, this.#lines);
		if ("contents" in document) return document;
		const { line } = this.#lines.linePos(document.offset);
		throw new SvcError("SVC_INVALID", `line ${line}: ${document.message}`, { facts: { line } });
	}

	#read(): JsonObject {
		const value = orInvalid(() => this.#document.toJS({ maxAliasCount: 100 }) as JsonValue);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
		throw new SvcError("SVC_INVALID", "a chain must be an object");
	}
}

/** Converts errors of resolving aliases to `SVC_INVALID`. The library refuses definitions with too many aliases. */
function orInvalid<T>(read: () => T): T {
	try {
		return read();
	} catch (error) {
		throw new SvcError("SVC_INVALID", `the chain cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
}

/** Formats a position as findings show it: `chain[1].on-success`. */
export function toSpecPath(path: Path): string | null {
	if (path.length === 0) return null;
	return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}
