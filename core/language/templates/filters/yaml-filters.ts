import { Document, type Tags, visit } from "yaml";
import { isSvcError, stringifyJson } from "../../../contract/index.ts";
import { currentWork } from "../../work-budget.ts";
import { assertShallow, deepestYaml, parseYamlDocument } from "../../yaml-document.ts";
import type { Arguments } from "../arguments.ts";
import { toJson, typeName, type Value } from "../values.ts";
import type { Filter } from "./filter.ts";

export const yamlFilters: Readonly<Record<string, Filter>> = {
	to_yaml_string: (input, given, { budget }) => {
		const plain = toJson(input, 0, budget);
		// What is shared is written out in full, so that the size is that of the JSON and some blanks.
		budget.text(2 * (stringifyJson(plain)?.length ?? 0));
		const indent = given.get(0, "indent") ?? null;
		const isAscii = !given.flag(1, "allow_unicode", true);
		const spaces = indent === null ? 2 : Math.min(Math.max(given.integer(0, "indent"), 2), 16);
		// It takes far longer than other operations on texts, as reading does.
		const text = inTime(given, () => {
			const document = new Document(plain, { version: "1.1", aliasDuplicateObjects: false, sortMapEntries: true });
			if (isAscii) quoteBeyondAscii(document);
			return document.toString({ indent: spaces, indentSeq: false, lineWidth: 80, singleQuote: true });
		});
		return isAscii ? text.replace(beyondAscii, escapeUnit) : text;
	},
	from_yaml_string: (input, given, { budget }) => {
		if (input === null) return null;
		if (typeof input !== "string") throw given.error(`needs a text, not ${typeName(input)}`);
		budget.text(input.length);
		budget.step(input.length / 16);
		const parsed = inTime(given, () => {
			try {
				return { value: read(input) };
			} catch {
				return undefined;
			}
		});
		// The message of the parser would quote the text, which may be a secret.
		if (parsed === undefined) throw given.error(`needs a text that is YAML, with at most ${deepestYaml} objects and lists in one another`);
		return parsed.value;
	},
};

/** What work on YAML gives, unless all of it that is rendered together takes too long. */
function inTime<T>(given: Arguments, work: () => T): T {
	try {
		return currentWork().checked(work);
	} catch (error) {
		throw isSvcError(error) ? given.error("takes too long") : error;
	}
}

/**
 * `y` and `n` stay texts, as in the reference language; the other words for true and false count. Dates stay the texts that they are, as in
 * every file of a pack.
 */
function usedTags(tags: Tags): Tags {
	return tags
		.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp")
		.map((tag) => {
			if (typeof tag !== "object" || !("test" in tag) || tag.tag !== "tag:yaml.org,2002:bool" || tag.test === undefined) return tag;
			return { ...tag, test: new RegExp(`^(?![YyNn]$)(?:${tag.test.source})`) };
		});
}

function read(text: string): Value {
	const { document } = parseYamlDocument(text, { version: "1.1", customTags: usedTags });
	const [error] = document.errors;
	if (error !== undefined) throw error;
	const value: unknown = document.toJS({ maxAliasCount: 100 });
	assertShallow(value);
	return toPlain(value);
}

/** JSON of what YAML knows beyond it: data becomes base64, sets lists and maps objects. */
function toPlain(value: unknown): Value {
	if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
	if (value instanceof Set) return Array.from(value, toPlain);
	if (Array.isArray(value)) return value.map(toPlain);
	if (typeof value !== "object" || value === null) return (value ?? null) as Value;
	const members = value instanceof Map ? [...value] : Object.entries(value);
	return Object.fromEntries(members.map(([name, member]) => [String(name), toPlain(member)]));
}

const beyondAscii = /[\u0080-\uffff]/g;

function escapeUnit(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Escapes are understood between double quotes only. */
function quoteBeyondAscii(document: Document): void {
	visit(document, {
		Scalar(_key, node) {
			if (typeof node.value === "string" && node.value.search(beyondAscii) >= 0) node.type = "QUOTE_DOUBLE";
		},
	});
}
