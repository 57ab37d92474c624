import { type DefinitionFinding, type JsonValue, stringifyJson } from "../../../core/contract/index.ts";
import { findingAt } from "./findings.ts";
import { isObject } from "./is-object.ts";
import type { Shape } from "./shape.ts";
import type { SourceNode } from "./source-node.ts";

/** Returns the differences between a definition and its shape. The messages are those of Python validators for JSON schema. */
export function checkShape(spot: SourceNode, shape: Shape): DefinitionFinding[] {
	const report = (keyword: string, message: string) => {
		const finding = findingAt(spot, "syntax", message);
		return { ...finding, schema_path: [finding.schema_path, keyword].filter((part) => part !== null).join(".") };
	};
	return [...checkValue(spot, shape, report), ...checkObject(spot, shape, report), ...checkList(spot, shape, report)];
}

type Report = (keyword: string, message: string) => DefinitionFinding;

function* checkValue(spot: SourceNode, shape: Shape, report: Report): Iterable<DefinitionFinding> {
	const { value } = spot;
	if (shape.type !== undefined && !isOfType(value, shape.type))
		yield report("type", `${spellInPython(spot)} is not of type ${spellText(shape.type)}`);
	if (shape.enum !== undefined && !shape.enum.some((each) => each === value))
		yield report("enum", `${spellInPython(spot)} is not one of [${shape.enum.map(spellEnumValue).join(", ")}]`);
	if (shape.oneOf?.every((each) => checkShape(spot, each).length > 0) === true)
		yield report("oneOf", `${spellInPython(spot)} is not valid under any of the given schemas`);
	if (typeof value === "string" && value.length < (shape.minLength ?? 0)) yield report("minLength", "'' is too short");
	if (typeof value === "string" && shape.pattern?.test(value) === false)
		yield report("pattern", `${spellInPython(spot)} does not match '${shape.pattern.source}'`);
	if (typeof value === "number" && value < (shape.minimum ?? Number.NEGATIVE_INFINITY))
		yield report("minimum", `${spellInPython(spot)} is less than the minimum of ${shape.minimum}`);
}

function* checkObject(spot: SourceNode, shape: Shape, report: Report): Iterable<DefinitionFinding> {
	if (!isObject(spot.value)) return;
	const names = spot.names();
	if (names.length < (shape.minProperties ?? 0)) yield report("minProperties", `${spellInPython(spot)} does not have enough properties`);
	if (names.length > (shape.maxProperties ?? names.length)) yield report("maxProperties", `${spellInPython(spot)} has too many properties`);
	for (const name of shape.required ?? [])
		if (!Object.hasOwn(spot.value, name)) yield report("required", `${spellText(name)} is a required property`);
	for (const name of names) yield* checkMember(spot, name, shape);
	yield* checkNames(spot, shape, report);
}

function checkMember(spot: SourceNode, name: string, { properties = {}, named }: Shape): readonly DefinitionFinding[] {
	const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
	if (property !== undefined) return checkShape(spot.property(name), property);
	if (named?.pattern.test(name) === true) return checkShape(spot.at(name, `patternProperties.${named.path}`), named.shape);
	return [];
}

function* checkNames(
	spot: SourceNode,
	{ properties = {}, named, additionalProperties }: Shape,
	report: Report,
): Iterable<DefinitionFinding> {
	if (additionalProperties !== false) return;
	const unknown = spot.names().filter((name) => !Object.hasOwn(properties, name) && named?.pattern.test(name) !== true);
	for (const name of unknown) {
		const quoted = spellText(name);
		const message =
			named === undefined
				? `Additional properties are not allowed (${quoted} was unexpected)`
				: `${quoted} does not match any of the regexes: '${named.path}'`;
		yield { ...report("additionalProperties", message), line: spot.at(name).line };
	}
}

function* checkList(spot: SourceNode, shape: Shape, report: Report): Iterable<DefinitionFinding> {
	if (!Array.isArray(spot.value)) return;
	if (spot.value.length < (shape.minItems ?? 0)) yield report("minItems", "[] is too short");
	if (shape.uniqueItems === true && !areDistinct(spot.value)) yield report("uniqueItems", `${spellInPython(spot)} has non-unique elements`);
	if (shape.items === undefined) return;
	for (let index = 0; index < spot.value.length; index++) yield* checkShape(spot.item(index), shape.items);
}

function areDistinct(values: readonly JsonValue[]): boolean {
	return new Set(values.map((value) => stringifyJson(sortMembers(value)))).size === values.length;
}

/**
 * Returns a form in which objects with the same members in any order are equal. Uses lists of pairs, because objects put numeric names
 * first.
 */
function sortMembers(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return ["list", ...value.map(sortMembers)];
	if (!isObject(value)) return value;
	return [
		"object",
		...Object.keys(value)
			.sort()
			.map((name) => [name, sortMembers(value[name] ?? null)]),
	];
}

function isOfType(value: JsonValue | undefined, type: NonNullable<Shape["type"]>): boolean {
	if (type === "array") return Array.isArray(value);
	if (type === "object") return isObject(value);
	return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function spellEnumValue(value: JsonValue): string {
	if (typeof value === "boolean") return value ? "True" : "False";
	return typeof value === "number" ? value.toFixed(1) : spellText(String(value));
}

/** Maximum characters of a value in a message; the rest is omitted. */
const maxSpelledLength = 600;

/** Returns a value as Python writes it: `None`, `True`, `'text'`, `[1, 'x']`, `{'k': 'v'}`. A long value is shortened. */
function spellInPython(spot: SourceNode): string {
	const { value } = spot;
	if (Array.isArray(value)) return `[${spellAll(value, (index) => spellInPython(spot.at(index)))}]`;
	if (typeof value === "object" && value !== null)
		return `{${spellAll(Object.keys(value), (_, name) => `${spellText(name)}: ${spellInPython(spot.at(name))}`)}}`;
	return spellScalar(value ?? null, spot.isFloat);
}

/** Returns a string as Python quotes it. */
function spellText(text: string): string {
	const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is spelled out here
	const escaped = text.slice(0, maxSpelledLength).replaceAll(/[\\\u0000-\u001f\u007f]/g, escapeCharacter);
	return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

function spellAll<T extends JsonValue>(parts: readonly T[], spell: (index: number, part: T) => string): string {
	const spelled: string[] = [];
	let length = 0;
	for (const [index, part] of parts.entries()) {
		if (length > maxSpelledLength) break;
		const text = spell(index, part);
		length += text.length;
		spelled.push(text);
	}
	return spelled.join(", ");
}

function spellScalar(value: JsonValue, isFloat: boolean): string {
	if (value === null) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (typeof value === "number") return isFloat && Number.isInteger(value) ? value.toFixed(1) : String(value);
	return typeof value === "bigint" ? String(value) : spellText(String(value));
}

function escapeCharacter(character: string): string {
	const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
	return escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
