import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import type { JsonTree } from "./json-tree.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A value that the schema of a route's body allows: all that it requires, and some of the rest. */
export function fillSchema(random: Random, schema: Schema): JsonTree {
	const { enum: allowed, anyOf } = schema;
	if (Array.isArray(allowed)) return pick(random, allowed as readonly JsonTree[]);
	if (Array.isArray(anyOf)) return fillSchema(random, pick(random, anyOf as readonly Schema[]));
	switch (pick(random, [(schema["type"] ?? "string") as string | readonly string[]].flat())) {
		case "object":
			return fillObject(random, schema);
		case "array":
			return Array.from({ length: random(3) }, () => fillSchema(random, (schema["items"] ?? {}) as Schema));
		case "integer":
		case "number":
			return (schema["minimum"] as number | undefined) ?? random(100);
		case "boolean":
			return random(2) === 0;
		case "null":
			return null;
		default:
			return pick(random, ["a", "default", "core.noop", "2031-03-04T09:20:00Z"]);
	}
}

function fillObject(random: Random, schema: Schema): JsonTree {
	const required = (schema["required"] ?? []) as readonly string[];
	const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Schema>>);
	const chosen = properties.filter(([name]) => required.includes(name) || random(3) === 0);
	return { fields: chosen.map(([name, inner]) => [name, fillSchema(random, inner)]) };
}
