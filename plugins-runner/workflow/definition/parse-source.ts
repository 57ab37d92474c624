import { LineCounter } from "yaml";
import type { DefinitionFinding, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { isObject } from "./is-object.ts";
import { limits } from "./limits.ts";
import { parseDocument } from "./parse-document.ts";
import { shorten } from "./shorten.ts";
import { SourceNode, type WrittenForms } from "./source-node.ts";
import { ValueReader } from "./value-reader.ts";

/** Parsed source of a definition. */
export interface ParsedSource {
	/** Top of the definition; undefined if the source is not an object. */
	readonly top: SourceNode | undefined;
	/** Findings about the source itself. */
	readonly findings: readonly DefinitionFinding[];
}

/** Maximum number of syntax errors that are returned; later ones usually follow from the first. */
const maxSyntaxErrors = 5;

/** Returns the object in a YAML document, with the shorthand for items expanded. Never throws. */
export function parseSource(text: string): ParsedSource {
	const { top, findings, written } = parseYaml(text);
	if (top === undefined) return { top, findings };
	if (!isObject(top.value)) return { top: undefined, findings: [...findings, syntaxFinding("The definition must be an object.", 1)] };
	return { top: SourceNode.top(expandItems(top.value, written), written), findings };
}

/** Parsed YAML document with any value. */
interface YamlSource extends ParsedSource {
	readonly written: WrittenForms;
}

/** Parses a document by the rules of YAML 1.1. Never throws. */
export function parseYaml(text: string): YamlSource {
	if (Buffer.byteLength(text) > limits.size) return toFailedSource([syntaxFinding(`The text has more than ${limits.size} bytes.`, null)]);
	const lines = new LineCounter();
	const document = parseDocument(text, lines);
	if ("errors" in document) return readDocument(new ValueReader(document, lines));
	const findings = document.slice(0, maxSyntaxErrors).map(({ message, offset }) => syntaxFinding(message, lines.linePos(offset).line));
	return toFailedSource(findings);
}

function readDocument(reader: ValueReader): YamlSource {
	const value = reader.read();
	if (value === undefined) return toFailedSource(reader.findings);
	return { top: SourceNode.top(value, reader.written), findings: reader.findings, written: reader.written };
}

const toFailedSource = (findings: readonly DefinitionFinding[]): YamlSource => ({ top: undefined, findings, written: new WeakMap() });

function syntaxFinding(message: string, line: number | null): DefinitionFinding {
	return { type: "syntax", message: shorten(message), spec_path: null, schema_path: null, line };
}

/** Returns the definition with each string in `with` replaced by an object with `items`. */
function expandItems(definition: JsonObject, written: WrittenForms): JsonObject {
	const { tasks } = definition;
	if (!Object.hasOwn(definition, "tasks") || !isObject(tasks)) return definition;
	const expandedTasks = mapMembers(tasks, (task) => (isObject(task) ? expandTaskItems(task, written) : task), written);
	return mapMembers(definition, (value, name) => (name === "tasks" ? expandedTasks : value), written);
}

function expandTaskItems(task: JsonObject, written: WrittenForms): JsonObject {
	const text = Object.hasOwn(task, "with") ? task["with"] : undefined;
	if (typeof text !== "string") return task;
	const items = { items: text };
	const writtenForm = written.get(task)?.get("with");
	if (writtenForm !== undefined) written.set(items, new Map([["items", writtenForm]]));
	return mapMembers(task, (value, name) => (name === "with" ? items : value), written);
}

/** Returns an object with changed members and the same lines. */
function mapMembers(object: JsonObject, change: (value: JsonValue, name: string) => JsonValue, written: WrittenForms): JsonObject {
	const changed = Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
	const writtenForms = written.get(object);
	if (writtenForms !== undefined) written.set(changed, writtenForms);
	return changed;
}
