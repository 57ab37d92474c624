import { Document, type Tags, visit } from "yaml";
import { isSvcError, stringifyJson } from "../../../contract/index.ts";
import { currentWorkBudget } from "../../work-budget.ts";
import { assertYamlDepth, maxYamlDepth, parseYamlDocument } from "../../yaml-document.ts";
import type { Arguments } from "../arguments.ts";
import { toJson, typeName, type Value } from "../values.ts";
import type { Filter } from "./filter.ts";

export const yamlFilters: Readonly<Record<string, Filter>> = {
	to_yaml_string: (input, args, { budget }) => {
		const plainValue = toJson(input, 0, budget);
		// Shared values are written out in full, so the size is proportional to the size of the JSON.
		budget.spendText(2 * (stringifyJson(plainValue)?.length ?? 0));
		const indent = args.get(0, "indent") ?? null;
		const isAscii = !args.flag(1, "allow_unicode", true);
		const spaces = indent === null ? 2 : Math.min(Math.max(args.integer(0, "indent"), 2), 16);
		// Writing YAML takes far longer than other string operations, and so does reading it.
		const text = withTimeLimit(args, () => {
			const document = new Document(plainValue, { version: "1.1", aliasDuplicateObjects: false, sortMapEntries: true });
			if (isAscii) quoteBeyondAscii(document);
			return document.toString({ indent: spaces, indentSeq: false, lineWidth: 80, singleQuote: true });
		});
		return isAscii ? text.replace(beyondAsciiPattern, escapeUnit) : text;
	},
	from_yaml_string: (input, args, { budget }) => {
		if (input === null) return null;
		if (typeof input !== "string") throw args.error(`needs a string, not ${typeName(input)}`);
		budget.spendText(input.length);
		budget.spendSteps(input.length / 16);
		const parseResult = withTimeLimit(args, () => {
			try {
				return { value: parseYaml(input) };
			} catch {
				return undefined;
			}
		});
		// The parser's message would quote the string, which may be a secret.
		if (parseResult === undefined) throw args.error(`needs a YAML string with at most ${maxYamlDepth} nested objects and lists`);
		return parseResult.value;
	},
};

/** Runs work on YAML. Throws `TemplateError` if the checking time of the current work is used up. */
function withTimeLimit<T>(args: Arguments, work: () => T): T {
	try {
		return currentWorkBudget().checkWithTimeout(work);
	} catch (error) {
		throw isSvcError(error) ? args.error("takes too long") : error;
	}
}

/**
 * Returns the tags of YAML 1.1 with two exceptions. `y` and `n` remain strings, as in Python; the other words for true and false are
 * booleans. Dates remain strings, as in all files of a pack.
 */
function selectTags(tags: Tags): Tags {
	return tags
		.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:timestamp")
		.map((tag) => {
			if (typeof tag !== "object" || !("test" in tag) || tag.tag !== "tag:yaml.org,2002:bool" || tag.test === undefined) return tag;
			return { ...tag, test: new RegExp(`^(?![YyNn]$)(?:${tag.test.source})`) };
		});
}

function parseYaml(text: string): Value {
	const { document } = parseYamlDocument(text, { version: "1.1", customTags: selectTags });
	const [error] = document.errors;
	if (error !== undefined) throw error;
	const value: unknown = document.toJS({ maxAliasCount: 100 });
	assertYamlDepth(value);
	return toPlainValue(value);
}

/** Converts YAML-specific values to JSON: binary data becomes Base64, a set becomes a list, and a map becomes an object. */
function toPlainValue(value: unknown): Value {
	if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
	if (value instanceof Set) return Array.from(value, toPlainValue);
	if (Array.isArray(value)) return value.map(toPlainValue);
	if (typeof value !== "object" || value === null) return (value ?? null) as Value;
	const members = value instanceof Map ? [...value] : Object.entries(value);
	return Object.fromEntries(members.map(([name, member]) => [String(name), toPlainValue(member)]));
}

const beyondAsciiPattern = /[\u0080-\uffff]/g;

function escapeUnit(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Quotes the strings that contain characters beyond ASCII, because YAML supports escapes only between double quotes. */
function quoteBeyondAscii(document: Document): void {
	visit(document, {
		Scalar(_key, node) {
			if (typeof node.value === "string" && node.value.search(beyondAsciiPattern) >= 0) node.type = "QUOTE_DOUBLE";
		},
	});
}
