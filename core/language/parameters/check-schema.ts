import { isJsonObject, isSvcError, type JsonObject, type JsonValue, type ParameterDefinition, SvcError } from "../../contract/index.ts";
import { isPattern } from "../safe-regexp.ts";
import { type AttributeRule, isPlainObject, nestedAttributeRules } from "./definition-attributes.ts";
import { isWholeSchema } from "./definition-reader.ts";
import { assertDepth } from "./depth.ts";
import { assertDefinition } from "./validate.ts";
import { assertValueCount } from "./value-count.ts";

type Rule = Omit<AttributeRule, "schema">;

const definition: Rule = {
	allowed: "a definition",
	accepts: (value) => typeof value === "boolean" || isPlainObject(value),
	nested: true,
};

/** Words of the general standard, of which definitions of parameters have fewer. */
const rules: Readonly<Record<string, Rule>> = {
	...nestedAttributeRules,
	...Object.fromEntries(["if", "then", "else", "contains", "propertyNames", "not"].map((word) => [word, definition])),
	$defs: { allowed: "an object of names and definitions", accepts: isPlainObject, nested: true },
	$ref: { allowed: 'a text that begins with "#"', accepts: (value) => typeof value === "string" && value.startsWith("#") },
	// Positions, and what is immutable, concern actions alone; elsewhere they say nothing.
	position: { allowed: "any value", accepts: () => true },
	immutable: { allowed: "any value", accepts: () => true },
};
const byName: readonly string[] = ["properties", "patternProperties", "$defs"];

/**
 * Refuse a JSON schema from outside that could not be used: for its form, or because nothing could be checked by it. What is no
 * word of the standard says nothing and may be there. `SVC_INVALID` names the place, which begins with `field`.
 */
export function checkJsonSchema(schema: unknown, field: string): void {
	if (!isJsonObject(schema)) throw new SvcError("SVC_INVALID", `${field}: must be an object`);
	assertValueCount(field, schema);
	try {
		assertDepth(field, schema);
		checkPart(schema, field);
		assertDefinition(field, { type: "object", ...schema } as ParameterDefinition);
	} catch (error) {
		if (!isSvcError(error, "SVC_INVALID")) throw error;
		const message = error.message.replace(/^(the definition of )?parameter "[^"]*" /, `${field}: `);
		throw new SvcError("SVC_INVALID", message.startsWith(field) ? message : `${field}: ${message}`, { cause: error });
	}
}

/** The same for the schema of a result, where old packs write the members of an object directly. */
export function checkOutputSchema(schema: JsonObject, field: string): void {
	assertValueCount(field, schema);
	if (isWholeSchema(schema)) checkJsonSchema(schema, field);
	else for (const [name, member] of Object.entries(schema)) if (isJsonObject(member)) checkJsonSchema(member, `${field}.${name}`);
}

function checkPart(schema: JsonValue, path: string): void {
	if (typeof schema === "boolean") return;
	if (!isJsonObject(schema)) throw new SvcError("SVC_INVALID", `${path}: must be a definition`);
	for (const [word, value] of Object.entries(schema)) {
		const rule = Object.hasOwn(rules, word) ? rules[word] : undefined;
		if (rule === undefined) continue;
		if (!rule.accepts(value)) throw new SvcError("SVC_INVALID", `${path}.${word}: must be ${rule.allowed}`);
		if (word === "patternProperties") checkPatterns(Object.keys(value as JsonObject), `${path}.${word}`);
		if (rule.nested === true) checkNested(value, { word, path: `${path}.${word}` });
	}
}

function checkNested(value: JsonValue, { word, path }: { readonly word: string; readonly path: string }): void {
	if (byName.includes(word) || Array.isArray(value)) {
		for (const [name, member] of Object.entries(value as JsonObject)) checkPart(member, `${path}.${name.slice(0, 100)}`);
	} else checkPart(value, path);
}

function checkPatterns(patterns: readonly string[], path: string): void {
	if (!patterns.every(isPattern)) throw new SvcError("SVC_INVALID", `${path}: must have regular expressions as names`);
}
