import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import { hostilePatterns, hostileValues, longWord, slowPatterns, slowWord } from "./hostile.ts";
import { isFields, type JsonTree } from "./json-tree.ts";

/** Names of members in the schemas and in the values for them. */
export const memberNames = ["a", "b", longWord, slowWord] as const;

/** A schema that users may write: most are well made, though slow, and the others may hold anything. */
export function makeSchema(random: Random, depth = 0, isTame = random(3) > 0): JsonTree {
	if (!isTame && random(8) === 0) return pick(random, hostileValues);
	const members = Array.from({ length: random(3) }, () => makeKeyword(random, depth, isTame));
	return { fields: [...(random(2) === 0 ? [] : [["type", pick(random, isTame ? tameTypes : types)] as const]), ...members] };
}

/** The schema of an object; now and then one that is none. */
export function makeObjectSchema(random: Random): JsonTree {
	const schema = makeSchema(random);
	if (!isFields(schema)) return schema;
	const rest = schema.fields.filter(([keyword]) => keyword !== "type");
	return { fields: random(3) === 0 ? rest : [["type", "object"], ...rest] };
}

/** An object with a schema for each name, as actions declare their parameters. */
export function makeParameterSchemas(random: Random): JsonTree {
	const isTame = random(6) > 0;
	return { fields: memberNames.map((name) => [name, isTame && random(2) === 0 ? { fields: [] } : makeSchema(random, 1, isTame)]) };
}

/** An object with values for the same names. */
export function makeMembers(random: Random): JsonTree {
	const named = memberNames.filter(() => random(2) === 0);
	return { fields: named.map((name) => [name, makeValue(random)]) };
}

function makeValue(random: Random, depth = 0): JsonTree {
	const leaves: readonly JsonTree[] = [longWord, slowWord, slowWord, "text", 7, true, null, pick(random, hostileValues)];
	if (depth > 2 || random(3) > 0) return pick(random, leaves);
	if (random(2) === 0) return { fields: memberNames.map((name) => [name, makeValue(random, depth + 1)]) };
	return Array.from({ length: pick(random, [1, 3, 40]) }, () => makeValue(random, 3));
}

const tameTypes = ["string", "string", "object", "array", "integer", "boolean", "null"] as const;
const types: readonly JsonTree[] = [...tameTypes, ["string", "object"]];

/** Those that actions may use for their parameters, and the rest. */
const tameKeywords = [
	"pattern",
	"patternProperties",
	"patternProperties",
	"properties",
	"items",
	"allOf",
	"anyOf",
	"anyOf",
	"not",
	"enum",
	"secret",
	"maxLength",
] as const;
const keywords = [
	...tameKeywords,
	"oneOf",
	"if",
	"additionalProperties",
	"propertyNames",
	"format",
	"default",
	"required",
	"immutable",
	"minimum",
	"$ref",
	"$id",
	"definitions",
] as const;

function makeKeyword(random: Random, depth: number, isTame: boolean): readonly [string, JsonTree] {
	const keyword = pick(random, isTame ? tameKeywords : keywords);
	return [keyword, !isTame && random(4) === 0 ? pick(random, hostileValues) : makeFitting(random, keyword, depth, isTame)];
}

function makeFitting(random: Random, keyword: (typeof keywords)[number], depth: number, isTame: boolean): JsonTree {
	const patterns = isTame ? slowPatterns : hostilePatterns;
	const inner = (): JsonTree => (depth > 1 ? { fields: [["pattern", pick(random, patterns)]] } : makeSchema(random, depth + 1, isTame));
	switch (keyword) {
		case "pattern":
			return pick(random, patterns);
		case "patternProperties":
			return { fields: [[pick(random, patterns), inner()]] };
		case "properties":
		case "definitions":
			return { fields: memberNames.map((name) => [name, inner()]) };
		case "allOf":
		case "oneOf":
			return [inner(), inner()];
		case "anyOf":
			// With the first one nobody looks at the second when a value is checked.
			return [{ fields: [] }, inner()];
		case "required":
			return pick(random, [true, ["a"]] as const);
		case "secret":
		case "immutable":
			return pick(random, [true, false]);
		case "maxLength":
		case "minimum":
			return random(100);
		case "format":
			return pick(random, ["date-time", "email", "uri", "regex", "nonsense"]);
		case "enum":
			return [makeValue(random), 1];
		case "default":
			return makeValue(random);
		case "$ref":
			return pick(random, ["#", "#/definitions/a", "#/nothing", "https://127.0.0.1:1/schema"]);
		case "$id":
			return pick(random, ["same", "#", "https://127.0.0.1:1/schema"]);
		default:
			return inner();
	}
}
