import { LineCounter } from "yaml";
import type { DefinitionFinding, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import { limits } from "./limits.ts";
import { parseDocument } from "./parse-document.ts";
import { shorten } from "./shorten.ts";
import { Spot, type WrittenForms } from "./source.ts";
import { ValueReader } from "./value-reader.ts";

/** A definition as its text has it. */
export interface ParsedSource {
	/** Its top; undefined when the text is no object at all. */
	readonly top: Spot | undefined;
	/** What is wrong with the text itself. */
	readonly findings: readonly DefinitionFinding[];
}

/** Most mistakes of the notation that are told: after the first ones they follow from each other. */
const mostMistakes = 5;

/** The object that a text in YAML holds, with items spelled out. Never throws. */
export function parseSource(text: string): ParsedSource {
	const { top, findings, written } = parseYaml(text);
	if (top === undefined) return { top, findings };
	if (!isObject(top.value)) return { top: undefined, findings: [...findings, syntaxFinding("The definition must be an object.", 1)] };
	return { top: Spot.top(spellOutItems(top.value, written), written), findings };
}

/** A text in YAML, whatever it holds. */
interface YamlSource extends ParsedSource {
	readonly written: WrittenForms;
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

/** A definition in which each `with` that is a text has become an object with `items`. */
function spellOutItems(definition: JsonObject, written: WrittenForms): JsonObject {
	const { tasks } = definition;
	if (!Object.hasOwn(definition, "tasks") || !isObject(tasks)) return definition;
	const spelled = mapMembers(tasks, (task) => (isObject(task) ? spellOutTask(task, written) : task), written);
	return mapMembers(definition, (value, name) => (name === "tasks" ? spelled : value), written);
}

function spellOutTask(task: JsonObject, written: WrittenForms): JsonObject {
	const text = Object.hasOwn(task, "with") ? task["with"] : undefined;
	if (typeof text !== "string") return task;
	const items = { items: text };
	const place = written.get(task)?.get("with");
	if (place !== undefined) written.set(items, new Map([["items", place]]));
	return mapMembers(task, (value, name) => (name === "with" ? items : value), written);
}

/** Another object with the same lines. */
function mapMembers(object: JsonObject, change: (value: JsonValue, name: string) => JsonValue, written: WrittenForms): JsonObject {
	const changed = Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
	const places = written.get(object);
	if (places !== undefined) written.set(changed, places);
	return changed;
}
