import { definitionOf, type JsonSchema, jsonObject } from "./schema-builders.ts";

/** Collects the named schemas and responses that a document refers to, each once. */
export class SchemaComponents {
	/** Schemas as they are defined, to detect a name that is used for two schemas. */
	readonly #definedSchemas = new Map<string, JsonSchema>();
	/** Schemas as they are published. */
	readonly #schemas = new Map<string, JsonSchema>();
	readonly #responses = new Map<string, JsonSchema>();

	/**
	 * Returns the published form of a schema, and collects the named schemas that it refers to. Throws an `Error` if two schemas have
	 * the same name.
	 */
	publish(schema: JsonSchema): JsonSchema {
		const definition = definitionOf(schema);
		if (definition !== undefined) {
			this.#collect(definition.name, definition.schema);
			return { $ref: schema["$ref"] };
		}
		// Code generators would take a bare "object" for an object without members.
		if (isAnyObject(schema)) return this.#publishAnyObject(schema);
		return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, this.#publishWithin(keyword, value)]));
	}

	/** Returns a reference to the response of this name, which `make` creates at the first call. */
	publishResponse(name: string, make: () => JsonSchema): JsonSchema {
		if (!this.#responses.has(name)) this.#responses.set(name, make());
		return { $ref: `#/components/responses/${name}` };
	}

	/** Returns the collected responses by name. */
	toResponses(): Readonly<Record<string, JsonSchema>> {
		return Object.fromEntries(this.#responses);
	}

	/** Returns the collected schemas, sorted by name. */
	toSchemas(): Readonly<Record<string, JsonSchema>> {
		return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
	}

	#publishAnyObject(schema: JsonSchema): JsonSchema {
		const types = [schema["type"]].flat();
		const object = this.publish(jsonObject);
		return types.length === 1 ? object : { anyOf: [object, ...types.filter((type) => type !== "object").map((type) => ({ type }))] };
	}

	#publishWithin(keyword: string, value: unknown): unknown {
		if (typeof value !== "object" || value === null || dataKeywords.has(keyword)) return value;
		if (schemaMapKeywords.has(keyword))
			return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, this.publish(schema as JsonSchema)]));
		return Array.isArray(value) ? value.map((item) => this.#publishWithin(keyword, item)) : this.publish(value as JsonSchema);
	}

	#collect(name: string, schema: JsonSchema): void {
		const earlier = this.#definedSchemas.get(name);
		if (earlier === schema) return;
		if (earlier !== undefined) throw new Error(`two schemas of the API have the name "${name}"`);
		this.#definedSchemas.set(name, schema);
		this.#schemas.set(name, this.publish(schema));
	}
}

/** Keywords whose values are data and contain no schemas. */
const dataKeywords = new Set(["enum", "examples", "example", "default", "const", "required", "type"]);
/** Keywords whose values map names to schemas. */
const schemaMapKeywords = new Set(["properties", "patternProperties", "$defs"]);

function isAnyObject({ type, ...rest }: JsonSchema): boolean {
	return [type].flat().includes("object") && Object.keys(rest).length === 0;
}
