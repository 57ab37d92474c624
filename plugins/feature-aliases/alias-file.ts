import { isJsonObject, type JsonObject, type JsonValue } from "../../core/contract/index.ts";
import { checkPack, fileAttributes, ownAttributes, type Place, toObjectSchema, withoutNull } from "../../core/feature.ts";
import type { AliasAck, AliasInput, AliasResult } from "./aliases-exports.ts";
import type { AliasFormat } from "./entities.ts";

const { checkAttributes, flag, object, requiredText, text } = fileAttributes;
type Attribute = fileAttributes.Attribute;

const resultAttributes: Readonly<Record<string, Attribute>> = { enabled: flag, format: text, extra: object };
const ackAttributes: Readonly<Record<string, Attribute>> = { ...resultAttributes, append_url: flag };

/** Returns the definition of an attribute that holds a message: `ack` or `result`. */
function message(attributes: Readonly<Record<string, Attribute>>): Attribute {
	return {
		description: `an object with ${Object.keys(attributes).join(", ")}`,
		accepts: (value) => isJsonObject(value) && fits(value, attributes),
		schema: toObjectSchema(attributes, true),
	};
}

function fits(value: JsonObject, attributes: Readonly<Record<string, Attribute>>): boolean {
	return Object.entries(value).every(
		([name, member]) => Object.hasOwn(attributes, name) && (member === null || attributes[name]?.accepts(member)),
	);
}

const textOrTexts = (value: JsonValue | undefined) =>
	typeof value === "string" || (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string"));
const formatMembers: ReadonlySet<string> = new Set(["display", "representation", "match_multiple"]);

function isFormat(value: JsonValue): boolean {
	if (typeof value === "string") return true;
	if (!isJsonObject(value) || Object.keys(value).some((name) => !formatMembers.has(name))) return false;
	const { display, representation, match_multiple } = value;
	const isShown = (display ?? null) === null || typeof display === "string";
	const isFlag = (match_multiple ?? null) === null || typeof match_multiple === "boolean";
	// Without a representation, commands are matched against the display string.
	return isShown && isFlag && (textOrTexts(representation) || ((representation ?? null) === null && typeof display === "string"));
}

const nullable = (type: string) => ({ type: [type, "null"] });

/** Attributes of the file of an action alias. */
export const aliasAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredText,
	pack: text,
	description: text,
	enabled: flag,
	action_ref: requiredText,
	formats: {
		description: "a list of strings, or of objects with display, representation and match_multiple",
		accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isFormat),
		schema: {
			type: "array",
			minItems: 1,
			items: {
				anyOf: [
					{ type: "string" },
					{
						type: "object",
						properties: {
							display: nullable("string"),
							representation: { anyOf: [{ type: "string" }, { type: "array", minItems: 1, items: { type: "string" } }, { type: "null" }] },
							match_multiple: nullable("boolean"),
						},
						additionalProperties: false,
						anyOf: [
							{
								required: ["representation"],
								properties: { representation: { anyOf: [{ type: "string" }, { type: "array" }] } },
							},
							{ required: ["display"], properties: { display: { type: "string" } } },
						],
					},
				],
			},
		},
		required: true,
	},
	ack: message(ackAttributes),
	result: message(resultAttributes),
	extra: object,
	immutable_parameters: object,
};

/** Parses the file of an alias. Throws `SVC_INVALID` with the attribute and its allowed values. */
export function toAliasInput(metadata: JsonObject, { pack, file }: Place): AliasInput {
	checkAttributes(metadata, aliasAttributes, true);
	checkPack(metadata, pack);
	const { name, description, enabled, action_ref, formats, ack, result, extra, immutable_parameters } = withoutNull(metadata);
	return {
		...{ name: name as string, pack, action_ref: action_ref as string, metadata_file: file },
		formats: (formats as JsonValue[]).map(toFormat),
		...(description !== undefined && { description: description as string }),
		...(enabled !== undefined && { enabled: enabled as boolean }),
		...(ack !== undefined && { ack: withoutNull(ack as JsonObject) as AliasAck }),
		...(result !== undefined && { result: withoutNull(result as JsonObject) as AliasResult }),
		...(extra !== undefined && { extra: extra as JsonObject }),
		...(immutable_parameters !== undefined && { immutable_parameters: immutable_parameters as JsonObject }),
	};
}

/** Converts a format to its stored form. */
export function toFormat(format: JsonValue): AliasFormat {
	if (typeof format === "string") return format;
	const {
		display = "",
		representation = display,
		match_multiple,
	} = withoutNull(format as JsonObject) as Partial<{
		display: string;
		representation: string | readonly string[];
		match_multiple: boolean;
	}>;
	return { display, representation: [representation].flat(), ...(match_multiple !== undefined && { match_multiple }) };
}
