import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../core/contract/index.ts";

/** Maximum number of values and of levels in a configuration schema after its references were resolved. */
const maxResolvedValues = 20_000;
const maxDepth = 50;

/**
 * Resolves each `$ref` in a configuration schema, such as `$ref: "#/properties/credentials"`. Throws `SVC_INVALID` for a reference to a
 * missing value, outside the file, or in a cycle.
 */
export function resolveReferences(schema: JsonObject): JsonObject {
	return new References(schema).resolve(schema) as JsonObject;
}

class References {
	readonly #root: JsonObject;
	#count = 0;

	constructor(schema: JsonObject) {
		// The file contains only the value of `properties` of a schema, but references begin at its root.
		this.#root = { properties: schema };
	}

	/** @param open references on the path to this value, the first one first */
	resolve(value: JsonValue, open: readonly string[] = [], depth = 0): JsonValue {
		this.#count += 1;
		if (this.#count > maxResolvedValues || depth > maxDepth) {
			throw new SvcError(
				"SVC_INVALID",
				`references ($ref) make the description larger than ${maxResolvedValues} values, or deeper than ${maxDepth}`,
			);
		}
		if (Array.isArray(value)) return (value as readonly JsonValue[]).map((element) => this.resolve(element, open, depth + 1));
		if (!isJsonObject(value)) return value;
		const { $ref: reference, ...others } = value;
		if (typeof reference !== "string") {
			return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.resolve(member, open, depth + 1)]));
		}
		if (open.includes(reference)) throw new SvcError("SVC_INVALID", `reference "${reference.slice(0, 200)}" refers to itself`);
		const found = this.resolve(this.#find(reference), [...open, reference], depth + 1);
		return isJsonObject(found) ? { ...found, ...(this.resolve(others, open, depth + 1) as JsonObject) } : found;
	}

	#find(reference: string): JsonValue {
		let found: JsonValue | undefined = this.#root;
		for (const name of toPath(reference)) {
			found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
		}
		if (found === undefined) {
			throw new SvcError(
				"SVC_INVALID",
				`reference "${reference.slice(0, 200)}" has no target; it must have a form such as "#/properties/name"`,
			);
		}
		return found;
	}
}

/** Returns the member names on the path of a reference. For one outside the file, returns itself, which no object has as a member. */
function toPath(reference: string): readonly string[] {
	if (!reference.startsWith("#/")) return [reference];
	return reference
		.slice(2)
		.split("/")
		.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}
