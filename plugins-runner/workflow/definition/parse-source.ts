import { LineCounter } from "yaml";
import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import { limits } from "./limits.ts";
import { parseDocument } from "./parse-document.ts";
import { shorten } from "./shorten.ts";
import { Spot } from "./source.ts";
import { spellOutItems } from "./spell-out-items.ts";
import { ValueReader } from "./value-reader.ts";

/** A definition as its text has it. */
export interface Source {
	/** Its top; undefined when the text is no object at all. */
	readonly top: Spot | undefined;
	/** What is wrong with the text itself. */
	readonly findings: readonly DefinitionFinding[];
}

/** Most mistakes of the notation that are told: after the first ones they follow from each other. */
const mostMistakes = 5;

/** What a text in YAML holds, by the rules of YAML 1.1. Never throws. */
export function parseSource(text: string): Source {
	if (Buffer.byteLength(text) > limits.size) return refuse(`The definition has more than ${limits.size} bytes.`, null);
	const lines = new LineCounter();
	const document = parseDocument(text, lines);
	if ("errors" in document) return readDocument(new ValueReader(document, lines));
	const findings = document.slice(0, mostMistakes).map(({ message, offset }) => syntaxFinding(message, lines.linePos(offset).line));
	return { top: undefined, findings };
}

function readDocument(reader: ValueReader): Source {
	const value = reader.read();
	if (value === undefined) return { top: undefined, findings: reader.findings };
	if (isObject(value)) return { top: Spot.top(spellOutItems(value, reader.written), reader.written), findings: reader.findings };
	return { top: undefined, findings: [...reader.findings, syntaxFinding("The definition must be an object.", 1)] };
}

const refuse = (message: string, line: number | null): Source => ({ top: undefined, findings: [syntaxFinding(message, line)] });

function syntaxFinding(message: string, line: number | null): DefinitionFinding {
	return { type: "syntax", message: shorten(message), spec_path: null, schema_path: null, line };
}
