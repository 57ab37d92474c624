import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../contract/index.ts";
import { didYouMean } from "../lib/did-you-mean.ts";

/** Attribute that a file of a pack may have. */
export interface Attribute {
	/** Description of the allowed values. */
	readonly description: string;
	/** Returns true if the attribute may have the value. */
	readonly accepts: (value: JsonValue) => boolean;
	/** JSON schema of the allowed values, which editors use. A test verifies that it agrees with `accepts`. */
	readonly schema: JsonObject;
	/** True if a file must have the attribute. Default: false. */
	readonly required?: boolean;
}

export const text: Attribute = { description: "a string", accepts: (value) => typeof value === "string", schema: { type: "string" } };
export const requiredText: Attribute = {
	description: "a non-empty string",
	accepts: (value) => typeof value === "string" && value.trim() !== "",
	schema: { type: "string", pattern: "\\S" },
	required: true,
};
export const flag: Attribute = {
	description: "true or false",
	accepts: (value) => typeof value === "boolean",
	schema: { type: "boolean" },
};
export const object: Attribute = { description: "an object", accepts: isJsonObject, schema: { type: "object" } };
export const list: Attribute = { description: "a list", accepts: (value) => Array.isArray(value), schema: { type: "array" } };
export const textList: Attribute = {
	description: "a list of strings",
	accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
	schema: { type: "array", items: { type: "string" } },
};
export const objectList: Attribute = {
	description: "a list of objects",
	accepts: (value) => Array.isArray(value) && value.every(isJsonObject),
	schema: { type: "array", items: { type: "object" } },
};

/**
 * Checks the attributes of a file. Null counts as a missing attribute. Throws `SVC_INVALID`, which names the attribute and the allowed
 * values.
 *
 * @param isClosed true if attributes that are not listed are refused
 */
export function checkAttributes(values: JsonObject, attributes: Readonly<Record<string, Attribute>>, isClosed: boolean): void {
	for (const [name, value] of Object.entries(values)) {
		const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
		if (attribute === undefined) {
			if (isClosed)
				throw new SvcError("SVC_INVALID", `unknown attribute "${name.slice(0, 100)}"${didYouMean(name, Object.keys(attributes))}`);
		} else if (value !== null && !attribute.accepts(value))
			throw new SvcError("SVC_INVALID", `attribute "${name}" must be ${attribute.description}`);
	}
	for (const [name, { required, description }] of Object.entries(attributes)) {
		if (required === true && (values[name] ?? null) === null)
			throw new SvcError("SVC_INVALID", `attribute "${name}" is missing; it must be ${description}`);
	}
}
