import {
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterDefinitions,
	SvcError,
} from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { holdsSecret, maskBySchema, memberOf, restoreMasked } from "../language/parameters/schema-masking.ts";

/**
 * Masks the defaults and allowed values of secret parameters. A default is secret too, because a run without a value uses it.
 *
 * A parameter is secret if either schema marks it so. Returns the same object if no parameter is secret.
 */
export function maskParameterDefaults(schema: ParameterDefinitions, other: ParameterDefinitions = {}): ParameterDefinitions {
	const findOther = (name: string) => (Object.hasOwn(other, name) ? other[name] : undefined);
	const hasSecrets = Object.keys(schema).some((name) => holdsSecretNamed(schema, name) || holdsSecretNamed(other, name));
	if (!hasSecrets) return schema;
	return mapMembers(schema, (definition, name) => {
		const otherDefinition = findOther(name);
		return maskDefinition(definition, { isSecret: otherDefinition?.secret === true, otherDefinition });
	});
}

/**
 * Replaces the masks in parameter definitions by the stored values. A user who reads masked definitions and sends them back sends the masks
 * too.
 *
 * Throws `SVC_INVALID` if no value is stored for a mask, or if the value would no longer be secret. A user who may change an action need
 * not have permission to see its secrets.
 *
 * @param stored schemas of action and runner as they are stored; undefined for a new action
 * @param runnerParameters schema of the runner that the action will have
 */
export function restoreParameterDefaults(
	given: ParameterDefinitions,
	stored: { readonly parameters: ParameterDefinitions; readonly runnerParameters: ParameterDefinitions } | undefined,
	runnerParameters: ParameterDefinitions,
): ParameterDefinitions {
	const storedParameters = (stored?.parameters ?? {}) as unknown as JsonObject;
	const shown = maskParameterDefaults(stored?.parameters ?? {}, stored?.runnerParameters) as unknown as JsonObject;
	const restored = restoreMasked(given as unknown as JsonObject, shown, storedParameters) as unknown as ParameterDefinitions;
	const remasked = maskParameterDefaults(restored, runnerParameters);
	for (const [name, definition] of Object.entries(given)) {
		const isSecret =
			holdsSecret(definition) ||
			[stored?.parameters, stored?.runnerParameters, runnerParameters].some((schema) => holdsSecretNamed(schema, name));
		if (isSecret)
			assertRestoredAndHidden(
				name,
				definition as unknown as JsonValue,
				restored[name] as unknown as JsonValue,
				remasked[name] as unknown as JsonValue,
			);
	}
	return restored;
}

interface MaskContext {
	/** True if an enclosing definition is secret. */
	readonly isSecret: boolean;
	/** Definition of the parameter in the other schema. */
	readonly otherDefinition?: ParameterDefinition | undefined;
}

function maskDefinition(definition: ParameterDefinition, { isSecret, otherDefinition }: MaskContext): ParameterDefinition {
	const context = { isSecret: isSecret || definition.secret === true, otherDefinition };
	const entries = Object.entries(definition) as [keyof ParameterDefinition, unknown][];
	return Object.fromEntries(entries.map(([attribute, value]) => [attribute, maskAttribute(attribute, value, definition, context)]));
}

function maskAttribute(
	attribute: keyof ParameterDefinition,
	value: unknown,
	definition: ParameterDefinition,
	{ isSecret, otherDefinition = {} }: MaskContext,
): unknown {
	const maskNested = (nested: unknown) => (isJsonObject(nested) ? maskDefinition(nested as ParameterDefinition, { isSecret }) : nested);
	const maskValue = (whole: JsonValue): JsonValue =>
		isSecret ? secretMask : (maskBySchema(maskBySchema({ whole }, { whole: definition }), { whole: otherDefinition })["whole"] ?? null);
	switch (attribute) {
		case "default":
			return value === null ? null : maskValue(value as JsonValue);
		case "enum":
			return (value as readonly JsonValue[]).map(maskValue);
		case "properties":
		case "patternProperties":
			return mapMembers(value as ParameterDefinitions, (member) => maskNested(member) as ParameterDefinition);
		case "items":
		case "allOf":
		case "anyOf":
		case "oneOf":
		case "additionalProperties":
		case "additionalItems":
		case "not":
			return Array.isArray(value) ? value.map(maskNested) : maskNested(value);
		default:
			return value;
	}
}

function mapMembers(
	members: ParameterDefinitions,
	change: (member: ParameterDefinition, name: string) => ParameterDefinition,
): ParameterDefinitions {
	return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member, name)]));
}

/** Throws `SVC_INVALID` if a mask in `given` was not replaced, or if its replacement is not masked again. */
function assertRestoredAndHidden(
	path: string,
	given: JsonValue | undefined,
	restored: JsonValue | undefined,
	shown: JsonValue | undefined,
): void {
	if (given === secretMask) {
		if (restored === secretMask)
			throw toInvalidError(path, `"${secretMask}" stands for a hidden value, but no value is stored here; give the actual value`);
		if (shown !== secretMask)
			throw toInvalidError(
				path,
				`"${secretMask}" stands for a hidden value, which would no longer be secret; give a new value, or keep the parameter secret`,
			);
	}
	if (typeof given !== "object" || given === null) return;
	for (const name of Object.keys(given)) {
		assertRestoredAndHidden(
			`${path}.${name}`,
			memberOf(given, name),
			memberOf(restored, name),
			shown === secretMask ? secretMask : memberOf(shown, name),
		);
	}
}

function holdsSecretNamed(schema: ParameterDefinitions | undefined, name: string): boolean {
	const definition = schema !== undefined && Object.hasOwn(schema, name) ? schema[name] : undefined;
	return definition !== undefined && holdsSecret(definition);
}

function toInvalidError(path: string, message: string): SvcError {
	return new SvcError("SVC_INVALID", `parameters.${path}: ${message}`);
}
