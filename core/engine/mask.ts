import { isJsonObject, type JsonObject, type JsonValue, type ParameterDefinition, type ParameterSchema } from "../contract/index.ts";

/** What stands in place of a secret, whatever the type of the secret. */
export const mask = "********";

/** Deeper values are masked whole: nothing that deep passes the checks at the border. */
const maximumDepth = 100;

/** Values of an execution's parameters with secrets masked; `secret` in either schema suffices. The same object when nothing is secret. */
export function maskParameters(values: JsonObject, actionSchema: ParameterSchema, runnerSchema: ParameterSchema): JsonObject {
	return maskBySchema(maskBySchema(values, actionSchema), runnerSchema);
}

/** A copy of `values` with everything masked that `schema` calls secret, nested members included. The same object when nothing is. */
export function maskBySchema(values: JsonObject, schema: ParameterSchema): JsonObject {
	return replaceMembers(values, (key, value) => {
		const definition = own(schema, key);
		return definition === undefined ? value : maskValue(value, definition, { depth: 0, maskMismatch: true });
	});
}

/**
 * The result of an execution, masked by the action's output schema. The schema describes what lies under the runner's output
 * key; without a key nothing is masked.
 */
export function maskResult(result: JsonObject, outputSchema: JsonObject, outputKey: string | null): JsonObject {
	if (outputKey === null || !Object.hasOwn(result, outputKey) || Object.keys(outputSchema).length === 0) return result;
	const definition = toOutputDefinition(outputSchema);
	return replaceMembers(result, (key, value) =>
		key === outputKey ? maskValue(value, definition, { depth: 0, maskMismatch: false }) : value,
	);
}

/** The texts that are secret among `values`, for `createSecretRedactor`. */
export function collectSecrets(values: JsonObject, ...schemas: readonly ParameterSchema[]): string[] {
	const secrets = new Set<string>();
	for (const schema of schemas) {
		const masked = maskBySchema(values, schema);
		for (const key of Object.keys(values)) collectDifferent(values[key] ?? null, masked[key] ?? null, secrets);
	}
	return [...secrets];
}

/** `given` with what was `kept` wherever it holds the mask and the mask was `shown`: how values that were masked come back. */
export function restoreMasked(given: JsonValue, shown: JsonValue | undefined, kept: JsonValue | undefined): JsonValue {
	if (given === mask) return shown === mask && kept !== undefined ? kept : given;
	if (isArray(given)) return given.map((item, index) => restoreMasked(item, memberOf(shown, index), memberOf(kept, index)));
	if (!isJsonObject(given)) return given;
	const entries = Object.entries(given);
	return Object.fromEntries(entries.map(([name, value]) => [name, restoreMasked(value, memberOf(shown, name), memberOf(kept, name))]));
}

/** An own member of an object or list. */
export function memberOf(value: JsonValue | undefined, key: string | number): JsonValue | undefined {
	if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
	return (value as JsonObject)[key];
}

interface MaskOptions {
	readonly depth: number;
	/**
	 * Mask what stands where an object or list with secret members should be: a text may be that object, not yet parsed, and a
	 * request whose template failed is recorded before its types are checked.
	 */
	readonly maskMismatch: boolean;
}

function maskValue(value: JsonValue, definition: ParameterDefinition, options: MaskOptions): JsonValue {
	if (definition.secret === true || options.depth > maximumDepth) return mask;
	const deeper = { ...options, depth: options.depth + 1 };
	let masked = value;
	for (const alternative of [...(definition.allOf ?? []), ...(definition.anyOf ?? []), ...(definition.oneOf ?? [])]) {
		masked = maskValue(masked, alternative, deeper);
	}
	if (options.maskMismatch && masked !== null && !isDescribed(masked, definition) && hasSecretMember(definition, options.depth))
		return mask;
	if (isArray(masked)) return maskElements(masked, definition, deeper);
	if (!isJsonObject(masked)) return masked;
	return replaceMembers(masked, (key, member) =>
		memberDefinitions(definition, key).reduce<JsonValue>((value, inner) => maskValue(value, inner, deeper), member),
	);
}

/** Whether the definition says what the parts of such a value are, or it can have none. A text could have been parsed. */
function isDescribed(value: JsonValue, { type, items, properties, patternProperties, additionalProperties }: ParameterDefinition): boolean {
	if (value === mask) return true;
	if (isArray(value)) return type !== "object" && items !== undefined;
	if (!isJsonObject(value)) return typeof value !== "string";
	return type !== "array" && [properties, patternProperties, additionalProperties].some((members) => members !== undefined);
}

function maskElements(values: readonly JsonValue[], definition: ParameterDefinition, options: MaskOptions): readonly JsonValue[] {
	const { items, additionalItems } = definition;
	if (items === undefined) return values;
	let changed = false;
	const copy = values.map((value, index) => {
		const inner = isArray(items) ? (items[index] ?? additionalItems) : (items as ParameterDefinition);
		if (typeof inner !== "object") return value;
		const masked = maskValue(value, inner, options);
		changed ||= masked !== value;
		return masked;
	});
	return changed ? copy : values;
}

/** All that describe a member: by its name, by patterns, or else as one of the rest. */
export function memberDefinitions(definition: ParameterDefinition, key: string): readonly ParameterDefinition[] {
	const named = own(definition.properties, key);
	const found = named === undefined ? [] : [named];
	for (const [pattern, inner] of Object.entries(definition.patternProperties ?? {})) {
		if (matches(pattern, key)) found.push(inner);
	}
	if (found.length > 0) return found;
	return typeof definition.additionalProperties === "object" ? [definition.additionalProperties] : [];
}

/** A pattern that cannot be read masks everything: better too much than too little. */
function matches(pattern: string, key: string): boolean {
	try {
		return new RegExp(pattern).test(key);
	} catch {
		return true;
	}
}

/** Whether a value of this definition is a secret or may hold one. */
export function holdsSecret(definition: ParameterDefinition): boolean {
	return definition.secret === true || hasSecretMember(definition, 0);
}

function hasSecretMember(definition: ParameterDefinition, depth: number): boolean {
	if (depth > maximumDepth) return true;
	const alternatives = [...(definition.allOf ?? []), ...(definition.anyOf ?? []), ...(definition.oneOf ?? [])];
	const inner: unknown[] = [
		...Object.values(definition.properties ?? {}),
		...Object.values(definition.patternProperties ?? {}),
		definition.additionalProperties,
		definition.additionalItems,
		...(isArray(definition.items) ? definition.items : [definition.items]),
		...alternatives,
	];
	return inner.some(
		(member) =>
			isJsonObject(member) &&
			((member as ParameterDefinition).secret === true || hasSecretMember(member as ParameterDefinition, depth + 1)),
	);
}

/** Old packs write the members of an object directly, without `type` and `properties`. */
function toOutputDefinition(schema: JsonObject): ParameterDefinition {
	const isFull = ["type", "properties", "items", "secret"].some(
		(key) => Object.hasOwn(schema, key) && !isNamedDefinition(key, schema[key]),
	);
	return (isFull ? schema : { type: "object", properties: schema }) as ParameterDefinition;
}

/** Whether a key that is also a schema word is used as the name of a member: `type: {type: string}`. */
function isNamedDefinition(key: string, value: unknown): boolean {
	return (key === "type" || key === "secret") && isJsonObject(value);
}

function replaceMembers(values: JsonObject, replace: (key: string, value: JsonValue) => JsonValue): JsonObject {
	let copy: Record<string, JsonValue> | undefined;
	for (const key of Object.keys(values)) {
		const value = values[key] as JsonValue;
		const replaced = replace(key, value);
		if (replaced === value) continue;
		// Spreading keeps `__proto__` an own member, so that the assignment cannot reach the prototype.
		copy ??= { ...values };
		copy[key] = replaced;
	}
	return copy ?? values;
}

function collectDifferent(value: JsonValue, masked: JsonValue, into: Set<string>): void {
	if (value === masked) return;
	if (masked === mask) {
		collectTexts(value, into, 0);
		return;
	}
	for (const [key, member] of Object.entries(value as JsonObject)) collectDifferent(member, (masked as JsonObject)[key] ?? null, into);
}

function collectTexts(value: JsonValue, into: Set<string>, depth: number): void {
	if (typeof value === "string") into.add(value);
	else if (typeof value === "number") into.add(String(value));
	else if (typeof value === "object" && value !== null && depth < maximumDepth) {
		for (const member of Object.values(value)) collectTexts(member, into, depth + 1);
	}
}

function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
	return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

function isArray(value: unknown): value is readonly JsonValue[] & readonly ParameterDefinition[] {
	return Array.isArray(value);
}
