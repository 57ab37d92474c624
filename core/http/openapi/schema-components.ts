import { definitionOf, type JsonSchema, jsonObject } from "./schema.ts";

/** Collects the schemas with names that a document refers to, each once. */
export class Components {
	readonly #sources = new Map<string, JsonSchema>();
	readonly #schemas = new Map<string, JsonSchema>();
	readonly #responses = new Map<string, JsonSchema>();

	/** The schema as it is published: what it refers to by name is collected. Throws where a name stands for two. */
	publish(schema: JsonSchema): JsonSchema {
		const defined = definitionOf(schema);
		if (defined !== undefined) {
			this.#collect(defined.name, defined.schema);
			return { $ref: schema["$ref"] };
		}
		// Programs that make types of it would take a bare "object" for one without any members.
		if (isAnyObject(schema)) return this.#publishAnyObject(schema);
		return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, this.#publishWithin(keyword, value)]));
	}

	/** Where what is written once stands: made when it is first asked for. */
	publishResponse(name: string, make: () => JsonSchema): JsonSchema {
		if (!this.#responses.has(name)) this.#responses.set(name, make());
		return { $ref: `#/components/responses/${name}` };
	}

	/** Answers with a name, by it. */
	toResponses(): Readonly<Record<string, JsonSchema>> {
		return Object.fromEntries(this.#responses);
	}

	/** All that was collected, by name. */
	toSchemas(): Readonly<Record<string, JsonSchema>> {
		return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
	}

	#publishAnyObject(schema: JsonSchema): JsonSchema {
		const types = [schema["type"]].flat();
		const object = this.publish(jsonObject);
		return types.length === 1 ? object : { anyOf: [object, ...types.filter((type) => type !== "object").map((type) => ({ type }))] };
	}

	#publishWithin(keyword: string, value: unknown): unknown {
		if (typeof value !== "object" || value === null || isData.has(keyword)) return value;
		if (isMap.has(keyword))
			return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, this.publish(schema as JsonSchema)]));
		return Array.isArray(value) ? value.map((schema) => this.#publishAny(schema)) : this.publish(value as JsonSchema);
	}

	#publishAny(value: unknown): unknown {
		return typeof value === "object" && value !== null ? this.publish(value as JsonSchema) : value;
	}

	#collect(name: string, schema: JsonSchema): void {
		const known = this.#sources.get(name);
		if (known === schema) return;
		if (known !== undefined) throw new Error(`the name "${name}" stands for two schemas of the API`);
		this.#sources.set(name, schema);
		this.#schemas.set(name, this.publish(schema));
	}
}

/** Keywords whose values are no schemas. */
const isData = new Set(["enum", "examples", "example", "default", "const", "required", "type"]);
/** Keywords with a schema for each name. */
const isMap = new Set(["properties", "patternProperties", "$defs"]);

function isAnyObject({ type, ...rest }: JsonSchema): boolean {
	return [type].flat().includes("object") && Object.keys(rest).length === 0;
}
