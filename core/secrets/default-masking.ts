import {
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterSchema,
	SvcError,
} from "../contract/index.ts";
import { holdsSecret, mask, maskBySchema, memberOf, restoreMasked } from "../language/parameters/schema-masking.ts";

/**
 * Definitions with the defaults and allowed values of secrets masked: a run that is not given a secret runs with its default.
 * A parameter is secret when either schema says so. The same object when nothing is.
 */
export function maskDefaults(schema: ParameterSchema, other: ParameterSchema = {}): ParameterSchema {
	const alsoOf = (name: string) => (Object.hasOwn(other, name) ? other[name] : undefined);
	const holdsAny = Object.keys(schema).some((name) => {
		const [definition, also] = [schema[name], alsoOf(name)];
		return (definition !== undefined && holdsSecret(definition)) || (also !== undefined && holdsSecret(also));
	});
	if (!holdsAny) return schema;
	return mapMembers(schema, (definition, name) => {
		const also = alsoOf(name);
		return maskDefinition(definition, { isSecret: also?.secret === true, also });
	});
}

/**
 * Definitions as they come from somebody who was shown masked ones, with what is stored in the places that still hold the mask.
 * `SVC_INVALID` where nothing is stored for such a place, and where it would no longer be secret: whoever may change an
 * action need not be somebody who may see its secrets.
 *
 * @param stored schemas of action and runner as they are stored; none for a new action
 * @param runnerParameters schema of the runner the action will have
 */
export function restoreDefaults(
	given: ParameterSchema,
	stored: { readonly parameters: ParameterSchema; readonly runnerParameters: ParameterSchema } | undefined,
	runnerParameters: ParameterSchema,
): ParameterSchema {
	const kept = (stored?.parameters ?? {}) as unknown as JsonObject;
	const shown = maskDefaults(stored?.parameters ?? {}, stored?.runnerParameters) as unknown as JsonObject;
	const restored = restoreMasked(given as unknown as JsonObject, shown, kept) as unknown as ParameterSchema;
	const next = maskDefaults(restored, runnerParameters);
	for (const [name, definition] of Object.entries(given)) {
		const isSecret =
			holdsSecret(definition) ||
			[stored?.parameters, stored?.runnerParameters, runnerParameters].some((schema) => holdsSecretNamed(schema, name));
		if (isSecret)
			assertHidden(name, definition as unknown as JsonValue, restored[name] as unknown as JsonValue, next[name] as unknown as JsonValue);
	}
	return restored;
}

interface Surroundings {
	/** Whether what the definition is part of is secret. */
	readonly isSecret: boolean;
	/** What the other schema says of the same parameter. */
	readonly also?: ParameterDefinition | undefined;
}

function maskDefinition(definition: ParameterDefinition, { isSecret, also }: Surroundings): ParameterDefinition {
	const place = { isSecret: isSecret || definition.secret === true, also };
	const entries = Object.entries(definition) as [keyof ParameterDefinition, unknown][];
	return Object.fromEntries(entries.map(([attribute, value]) => [attribute, maskAttribute(attribute, value, definition, place)]));
}

function maskAttribute(
	attribute: keyof ParameterDefinition,
	value: unknown,
	definition: ParameterDefinition,
	{ isSecret, also = {} }: Surroundings,
): unknown {
	const inner = (nested: unknown) => (isJsonObject(nested) ? maskDefinition(nested as ParameterDefinition, { isSecret }) : nested);
	const hidden = (whole: JsonValue): JsonValue =>
		isSecret ? mask : (maskBySchema(maskBySchema({ whole }, { whole: definition }), { whole: also })["whole"] ?? null);
	switch (attribute) {
		case "default":
			return value === null ? null : hidden(value as JsonValue);
		case "enum":
			return (value as readonly JsonValue[]).map(hidden);
		case "properties":
		case "patternProperties":
			return mapMembers(value as ParameterSchema, (member) => inner(member) as ParameterDefinition);
		case "items":
		case "allOf":
		case "anyOf":
		case "oneOf":
		case "additionalProperties":
		case "additionalItems":
		case "not":
			return Array.isArray(value) ? value.map(inner) : inner(value);
		default:
			return value;
	}
}

function mapMembers(members: ParameterSchema, change: (member: ParameterDefinition, name: string) => ParameterDefinition): ParameterSchema {
	return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
}

/** Every mask in `given` must have been replaced by something that is masked again. */
function assertHidden(path: string, given: JsonValue | undefined, restored: JsonValue | undefined, shown: JsonValue | undefined): void {
	if (given === mask) {
		if (restored === mask) throw invalid(path, `"${mask}" stands for a hidden value, and none is stored here; give the value itself`);
		if (shown !== mask) throw invalid(path, `"${mask}" stands for a hidden value that would be shown; give a new value, or keep it secret`);
	}
	if (typeof given !== "object" || given === null) return;
	for (const name of Object.keys(given)) {
		assertHidden(`${path}.${name}`, memberOf(given, name), memberOf(restored, name), shown === mask ? mask : memberOf(shown, name));
	}
}

function holdsSecretNamed(schema: ParameterSchema | undefined, name: string): boolean {
	const definition = schema !== undefined && Object.hasOwn(schema, name) ? schema[name] : undefined;
	return definition !== undefined && holdsSecret(definition);
}

function invalid(path: string, message: string): SvcError {
	return new SvcError("SVC_INVALID", `parameters.${path}: ${message}`);
}
