import { isJsonObject, isSvcError, type JsonObject, type JsonValue, type ParameterDefinition, SvcError } from "../../contract/index.ts";
import { isPattern } from "../bounded-regexp.ts";
import { type AttributeRule, nestedAttributeRules } from "./definition-attributes.ts";
import { assertDepth } from "./depth.ts";
import { isJsonSchema } from "./secret-schema.ts";
import { assertDefinition } from "./validate.ts";
import { assertValueCount } from "./value-count.ts";

type Rule = Omit<AttributeRule, "schema">;

const definitionRule: Rule = {
	description: "a definition",
	accepts: (value) => typeof value === "boolean" || isJsonObject(value),
	hasDefinitions: true,
};

/** Rules of JSON Schema keywords. Parameter definitions support fewer keywords than the standard. */
const keywordRules: Readonly<Record<string, Rule>> = {
	...nestedAttributeRules,
	...Object.fromEntries(["if", "then", "else", "contains", "propertyNames", "not"].map((keyword) => [keyword, definitionRule])),
	$defs: { description: "an object of names and definitions", accepts: isJsonObject, hasDefinitions: true },
	$ref: { description: 'a string that begins with "#"', accepts: (value) => typeof value === "string" && value.startsWith("#") },
	// Positions and immutability only matter for parameters of actions. In other schemas any value is accepted and ignored.
	position: { description: "any value", accepts: () => true },
	immutable: { description: "any value", accepts: () => true },
};
const namedDefinitionKeywords: readonly string[] = ["properties", "patternProperties", "$defs"];

/**
 * Refuses a JSON schema from a client or a pack if it is malformed or cannot be compiled. Unknown keywords are accepted and ignored, as the
 * standard requires. Throws `SVC_INVALID`; the message begins with the path of the faulty part, which starts with `field`.
 */
export function checkJsonSchema(schema: unknown, field: string): void {
	if (!isJsonObject(schema)) throw new SvcError("SVC_INVALID", `${field}: must be an object`);
	assertValueCount(field, schema);
	try {
		assertDepth(field, schema);
		checkSubschema(schema, field);
		assertDefinition(field, { type: "object", ...schema } as ParameterDefinition);
	} catch (error) {
		if (!isSvcError(error, "SVC_INVALID")) throw error;
		const message = error.message.replace(/^(the definition of )?parameter "[^"]*" /, `${field}: `);
		throw new SvcError("SVC_INVALID", message.startsWith(field) ? message : `${field}: ${message}`, { cause: error });
	}
}

/**
 * Checks the schema of an action's result like `checkJsonSchema`. Old packs list the members of the result directly, without an enclosing
 * schema.
 */
export function checkOutputSchema(schema: JsonObject, field: string): void {
	assertValueCount(field, schema);
	if (isJsonSchema(schema)) checkJsonSchema(schema, field);
	else for (const [name, member] of Object.entries(schema)) if (isJsonObject(member)) checkJsonSchema(member, `${field}.${name}`);
}

function checkSubschema(schema: JsonValue, path: string): void {
	if (typeof schema === "boolean") return;
	if (!isJsonObject(schema)) throw new SvcError("SVC_INVALID", `${path}: must be a definition`);
	for (const [keyword, value] of Object.entries(schema)) {
		const rule = Object.hasOwn(keywordRules, keyword) ? keywordRules[keyword] : undefined;
		if (rule === undefined) continue;
		if (!rule.accepts(value)) throw new SvcError("SVC_INVALID", `${path}.${keyword}: must be ${rule.description}`);
		if (keyword === "patternProperties") checkPatterns(Object.keys(value as JsonObject), `${path}.${keyword}`);
		if (rule.hasDefinitions === true) checkNested(value, { keyword, path: `${path}.${keyword}` });
	}
}

function checkNested(value: JsonValue, { keyword, path }: { readonly keyword: string; readonly path: string }): void {
	if (namedDefinitionKeywords.includes(keyword) || Array.isArray(value)) {
		for (const [name, member] of Object.entries(value as JsonObject)) checkSubschema(member, `${path}.${name.slice(0, 100)}`);
	} else checkSubschema(value, path);
}

function checkPatterns(patterns: readonly string[], path: string): void {
	if (!patterns.every(isPattern)) throw new SvcError("SVC_INVALID", `${path}: must have regular expressions as names`);
}
