import {
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterDefinitions,
	parseJson,
} from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { currentWorkBudget, WorkBudget, type WorkLimits, withWorkBudget } from "../work-budget.ts";
import { isJsonSchema, memberSecretSchemas, readSecretSchema, type SecretSchema } from "./secret-schema.ts";

/**
 * Maximum nesting levels that are masked by definition. A deeper value is masked as a whole, because it cannot have passed the checks on
 * input.
 */
const maxDepth = 100;

/** Limits for masking one value, or all values of one response. Member names are short, so only a malicious pattern needs more time. */
const maskLimits: WorkLimits = { searchMs: 10, checkMs: 0, steps: 500_000 };

/** Creates a budget for a response that is masked in several asynchronous steps. The caller runs each step within it. */
export function createMaskBudget(): WorkBudget {
	return new WorkBudget(maskLimits);
}

/** Masks everything that one response contains within one budget. */
export function maskWithinBudget<T>(maskAll: () => T): T {
	return withWorkBudget(maskAll, maskLimits);
}

/**
 * Returns the parameters of an execution with secrets masked; `secret` in either schema is sufficient. Returns the same object if nothing
 * is secret.
 */
export function maskParameters(values: JsonObject, actionSchema: ParameterDefinitions, runnerSchema: ParameterDefinitions): JsonObject {
	return maskBySchema(maskBySchema(values, actionSchema), runnerSchema);
}

/**
 * Returns a copy in which all values are masked that the schema declares secret, including nested members. Returns the same object if
 * nothing is secret.
 */
export function maskBySchema(values: JsonObject, schema: ParameterDefinitions): JsonObject {
	const secretSchemas = readSecretParameters(schema);
	if (secretSchemas.size === 0) return values;
	return maskWithinBudget(() =>
		replaceMembers(values, (key, value) => {
			const secretSchema = secretSchemas.get(key);
			return secretSchema === undefined ? value : maskValue(value, secretSchema, { depth: 0, shouldMaskMismatch: true });
		}),
	);
}

/** Definitions of the parameters that are secret or may contain a secret, by the schema of all parameters. Most schemas have none. */
const secretParameterCache = new WeakMap<ParameterDefinitions, ReadonlyMap<string, SecretSchema>>();

function readSecretParameters(schema: ParameterDefinitions): ReadonlyMap<string, SecretSchema> {
	let secretSchemas = secretParameterCache.get(schema);
	if (secretSchemas === undefined) {
		const entries = Object.entries(schema).map(([name, definition]) => [name, readSecretSchema(definition)] as const);
		secretSchemas = new Map(entries.filter(([, { holdsSecret }]) => holdsSecret));
		secretParameterCache.set(schema, secretSchemas);
	}
	return secretSchemas;
}

/** Returns true if any parameter of the schema is secret, or may contain a secret. */
export function hasSecretMembers(schema: ParameterDefinitions): boolean {
	return readSecretParameters(schema).size > 0;
}

/**
 * Returns a copy in which all values are masked that the schema of the whole object declares secret. Returns the same object if nothing is
 * secret.
 */
export function maskMembers(values: JsonObject, schema: JsonObject): JsonObject {
	return maskWithinBudget(() => maskObject(values, readSecretSchema(schema), { depth: 0, shouldMaskMismatch: true }));
}

/** Masks a value by a definition that has already been read. */
export function maskBySecretSchema(
	value: JsonValue,
	secretSchema: SecretSchema,
	{ shouldMaskMismatch }: Pick<MaskOptions, "shouldMaskMismatch">,
): JsonValue {
	return maskWithinBudget(() => maskValue(value, secretSchema, { depth: 0, shouldMaskMismatch }));
}

/** Returns the strings in `values` that are secret. */
export function collectSecrets(values: JsonObject, ...schemas: readonly ParameterDefinitions[]): string[] {
	return [...new Set(schemas.flatMap((schema) => collectMasked(values, maskBySchema(values, schema))))];
}

/** Returns the strings in `values` that are masked in `masked`, which must be a masked copy of `values`. */
export function collectMasked(values: JsonObject, masked: JsonObject): readonly string[] {
	const secrets = new Set<string>();
	collectMaskedTexts(values, masked, secrets);
	return [...secrets];
}

/**
 * Returns a copy of `returnedValue`. Each mask that was also at this place in `shownValue` is replaced by the value at the same place in
 * `keptValue`, if there is one. Clients send masked values back unchanged, and this must not overwrite the secrets.
 */
export function restoreMasked(returnedValue: JsonValue, shownValue: JsonValue | undefined, keptValue: JsonValue | undefined): JsonValue {
	if (returnedValue === secretMask) return shownValue === secretMask && keptValue !== undefined ? keptValue : returnedValue;
	if (isList(returnedValue))
		return returnedValue.map((item, index) => restoreMasked(item, memberOf(shownValue, index), memberOf(keptValue, index)));
	if (!isJsonObject(returnedValue)) return returnedValue;
	const entries = Object.entries(returnedValue);
	return Object.fromEntries(
		entries.map(([name, value]) => [name, restoreMasked(value, memberOf(shownValue, name), memberOf(keptValue, name))]),
	);
}

/** Returns an own member of an object or list; undefined if it does not exist. */
export function memberOf(value: JsonValue | undefined, key: string | number): JsonValue | undefined {
	if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
	return (value as JsonObject)[key];
}

interface MaskOptions {
	readonly depth: number;
	/**
	 * True if a value of the wrong type is masked where an object or list with secret members is expected. A string may be that object
	 * before parsing, and a request whose template failed is recorded before its types are checked.
	 */
	readonly shouldMaskMismatch: boolean;
}

/** Masks a value by a parsed definition. A value that is nested too deeply, or exceeds the work budget, is masked as a whole. */
function maskValue(value: JsonValue, secretSchema: SecretSchema, options: MaskOptions): JsonValue {
	if (secretSchema.isSecret || options.depth > maxDepth) return secretMask;
	if (!secretSchema.holdsSecret) return value;
	if (!currentWorkBudget().spendSteps(1)) return secretMask;
	const innerOptions = { ...options, depth: options.depth + 1 };
	let maskedValue = value;
	for (const alternative of secretSchema.alternatives) maskedValue = maskValue(maskedValue, alternative, innerOptions);
	if (options.shouldMaskMismatch && maskedValue !== null && !describesParts(maskedValue, secretSchema)) return secretMask;
	if (isList(maskedValue)) return maskElements(maskedValue, secretSchema, innerOptions);
	if (!isJsonObject(maskedValue)) return maskedValue;
	return replaceByMember(maskedValue, secretSchema, innerOptions);
}

/** Masks the members of an object. The result is an object even if the definition declares the whole value secret. */
function maskObject(values: JsonObject, secretSchema: SecretSchema, options: MaskOptions): JsonObject {
	if (secretSchema.isSecret || options.depth > maxDepth) return replaceMembers(values, () => secretMask);
	if (!secretSchema.holdsSecret) return values;
	const innerOptions = { ...options, depth: options.depth + 1 };
	const maskedObject = secretSchema.alternatives.reduce((values, alternative) => maskObject(values, alternative, innerOptions), values);
	return replaceByMember(maskedObject, secretSchema, innerOptions);
}

function replaceByMember(values: JsonObject, secretSchema: SecretSchema, options: MaskOptions): JsonObject {
	return replaceMembers(values, (key, member) => {
		const memberSchemas = memberSecretSchemas(secretSchema, key);
		return memberSchemas === undefined
			? secretMask
			: memberSchemas.reduce<JsonValue>((value, innerSchema) => maskValue(value, innerSchema, options), member);
	});
}

/**
 * Returns true if the definition describes the parts of such a value, or the value has no parts. A string does not qualify, because it may
 * be an unparsed object.
 */
function describesParts(value: JsonValue, { type, elements, members, patterns, otherMembers }: SecretSchema): boolean {
	if (value === secretMask) return true;
	if (isList(value)) return type !== "object" && elements !== undefined;
	if (!isJsonObject(value)) return typeof value !== "string";
	return type !== "array" && [members, patterns, otherMembers].some((partSchema) => partSchema !== undefined);
}

function maskElements(values: readonly JsonValue[], { elements, otherElements }: SecretSchema, options: MaskOptions): readonly JsonValue[] {
	if (elements === undefined) return values;
	let hasChanged = false;
	const copy = values.map((value, index) => {
		const innerSchema = "isSecret" in elements ? elements : (elements[index] ?? otherElements);
		if (innerSchema === undefined) return value;
		const maskedValue = maskValue(value, innerSchema, options);
		hasChanged ||= maskedValue !== value;
		return maskedValue;
	});
	return hasChanged ? copy : values;
}

/** Returns true if a value of this definition is secret or may contain a secret. */
export function holdsSecret(definition: ParameterDefinition): boolean {
	return readSecretSchema(definition).holdsSecret;
}

const outputSchemaCache = new WeakMap<JsonObject, SecretSchema>();

/** Reads the schema of an action's result. Old packs list the members directly, without `type` and `properties`. */
export function readOutputSchema(schema: JsonObject): SecretSchema {
	let secretSchema = outputSchemaCache.get(schema);
	if (secretSchema === undefined) {
		secretSchema = readSecretSchema(isJsonSchema(schema) ? schema : { type: "object", properties: schema });
		outputSchemaCache.set(schema, secretSchema);
	}
	return secretSchema;
}

function replaceMembers(values: JsonObject, replace: (key: string, value: JsonValue) => JsonValue): JsonObject {
	let copy: Record<string, JsonValue> | undefined;
	for (const key of Object.keys(values)) {
		const value = values[key] as JsonValue;
		const replacement = replace(key, value);
		if (replacement === value) continue;
		// Spreading copies `__proto__` as an own member, so that the assignment below cannot change the prototype.
		copy ??= { ...values };
		copy[key] = replacement;
	}
	return copy ?? values;
}

function collectMaskedTexts(value: JsonValue, masked: JsonValue, texts: Set<string>): void {
	if (value === masked) return;
	if (typeof value === "string" && typeof masked === "string" && masked !== secretMask) {
		// The string is JSON that a command printed; its members were masked individually.
		collectMaskedTexts(parseJson(value), parseJson(masked), texts);
		return;
	}
	if (masked === secretMask) {
		collectTexts(value, texts, 0);
		return;
	}
	for (const [key, member] of Object.entries(value as JsonObject)) collectMaskedTexts(member, (masked as JsonObject)[key] ?? null, texts);
}

function collectTexts(value: JsonValue, texts: Set<string>, depth: number): void {
	if (typeof value === "string") texts.add(value);
	else if (typeof value === "number" || typeof value === "bigint") texts.add(String(value));
	else if (typeof value === "object" && value !== null && depth < maxDepth) {
		for (const member of Object.values(value)) collectTexts(member, texts, depth + 1);
	}
}

function isList(value: JsonValue): value is readonly JsonValue[] {
	return Array.isArray(value);
}
