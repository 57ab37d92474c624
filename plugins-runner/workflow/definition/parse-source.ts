import { LineCounter } from "yaml";
import type { DefinitionFinding } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import { limits } from "./limits.ts";
import { parseDocument } from "./parse-document.ts";
import { shorten } from "./shorten.ts";
import { Spot, type WrittenValues } from "./source.ts";
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

/** The object that a text in YAML holds, with items spelled out. Never throws. */
export function parseSource(text: string): Source {
	const { top, findings, written } = parseYaml(text);
	if (top === undefined) return { top, findings };
	if (!isObject(top.value)) return { top: undefined, findings: [...findings, syntaxFinding("The definition must be an object.", 1)] };
	return { top: Spot.top(spellOutItems(top.value, written), written), findings };
}

/** A text in YAML, whatever it holds. */
interface YamlSource extends Source {
	readonly written: WrittenValues;
}

/** What a text in YAML holds, by the rules of YAML 1.1. Never throws. */
export function parseYaml(text: string): YamlSource {
	if (Buffer.byteLength(text) > limits.size) return refuse([syntaxFinding(`The text has more than ${limits.size} bytes.`, null)]);
	const lines = new LineCounter();
	const document = parseDocument(text, lines);
	if ("errors" in document) return readDocument(new ValueReader(document, lines));
	const findings = document.slice(0, mostMistakes).map(({ message, offset }) => syntaxFinding(message, lines.linePos(offset).line));
	return refuse(findings);
}

function readDocument(reader: ValueReader): YamlSource {
	const value = reader.read();
	if (value === undefined) return refuse(reader.findings);
	return { top: Spot.top(value, reader.written), findings: reader.findings, written: reader.written };
}

const refuse = (findings: readonly DefinitionFinding[]): YamlSource => ({ top: undefined, findings, written: new WeakMap() });

function syntaxFinding(message: string, line: number | null): DefinitionFinding {
	return { type: "syntax", message: shorten(message), spec_path: null, schema_path: null, line };
}
