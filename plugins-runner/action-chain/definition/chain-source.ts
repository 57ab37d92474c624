import { type Document, isNode, LineCounter } from "yaml";
import { type JsonObject, type JsonValue, SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { parseDefinition } from "./parse-definition.ts";

/** Longest text of a definition, in characters. */
export const longestDefinition = 500_000;

/** Where something stands: keys and numbers from the top. */
export type Path = readonly (string | number)[];

/** The text of a chain, YAML or JSON, as values that know their lines. */
export class ChainSource {
	readonly text: string;
	readonly value: JsonObject;
	readonly #lines = new LineCounter();
	readonly #document: Document;

	/** `SVC_INVALID` for a text that holds no object, with `facts.line` where it is known. */
	constructor(text: string) {
		if (text.length > longestDefinition) throw new SvcError("SVC_INVALID", `a chain may have at most ${longestDefinition} characters`);
		this.text = text;
		this.#document = this.#parse();
		this.value = this.#read();
	}

	/** Line of a value, from 1; of the nearest one around it that is there. */
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

/** Aliases are resolved here, and too many of them are refused. */
function orInvalid<T>(read: () => T): T {
	try {
		return read();
	} catch (error) {
		throw new SvcError("SVC_INVALID", `the chain cannot be read: ${toErrorMessage(error)}`, { cause: error });
	}
}

/** As findings name it: `chain[1].on-success`. */
export function toSpecPath(path: Path): string | null {
	if (path.length === 0) return null;
	return path.map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`)).join("");
}
