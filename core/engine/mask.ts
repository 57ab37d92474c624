import type { JsonObject, JsonValue, ParameterDefinition, ParameterSchema } from "../contract/index.ts";

/** What stands in place of a secret, whatever the type of the secret. */
export const mask = "********";

/** Attribute names whose values never reach a log (specification, Secrets masking 4), and the names of our own environment. */
export const secretLogNames: readonly string[] = [
	"password",
	"auth_token",
	"token",
	"secret",
	"credentials",
	"st2_auth_token",
	"svc_auth_token",
	"svc_action_auth_token",
];

/** Deeper values are masked whole: nothing that deep passes the checks at the border. */
const maximumDepth = 100;

/** Shortest text that is looked for in free text; shorter ones would blank out ordinary words. */
const shortestSecret = 4;

/** Values of an execution's parameters with secrets masked; `secret` in either schema suffices. The same object when nothing is secret. */
export function maskParameters(values: JsonObject, actionSchema: ParameterSchema, runnerSchema: ParameterSchema): JsonObject {
	return maskBySchema(maskBySchema(values, actionSchema), runnerSchema);
}

/** A copy of `values` with everything masked that `schema` calls secret, nested members included. The same object when nothing is. */
export function maskBySchema(values: JsonObject, schema: ParameterSchema): JsonObject {
	return replaceMembers(values, (key, value) => {
		const definition = own(schema, key);
		return definition === undefined ? value : maskValue(value, definition, { depth: 0, maskUnparsed: true });
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
		key === outputKey ? maskValue(value, definition, { depth: 0, maskUnparsed: false }) : value,
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

/**
 * Fields of a log line with the values of secret attributes masked, in nested objects and lists too. Names are compared
 * without regard to case. The same object when nothing was masked.
 *
 * @param names lower-case names in addition to `secretLogNames`
 */
export function maskLogFields(fields: Readonly<Record<string, unknown>>, names: readonly string[] = []): Readonly<Record<string, unknown>> {
	return maskLogValue(fields, new Set([...secretLogNames, ...names]), 0) as Readonly<Record<string, unknown>>;
}

/** A function that replaces known secret texts, also as they look inside JSON, wherever they occur in a text. */
export function createSecretRedactor(values: Iterable<string>): (text: string) => string {
	const forms = new Set<string>();
	for (const value of values) {
		if (value.length < shortestSecret) continue;
		forms.add(value);
		forms.add(JSON.stringify(value).slice(1, -1));
	}
	if (forms.size === 0) return (text) => text;
	// The longest first, so that a secret which holds another one is replaced whole.
	const alternatives = [...forms].sort((a, b) => b.length - a.length).map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
	const pattern = new RegExp(alternatives.join("|"), "g");
	return (text) => text.replace(pattern, mask);
}

interface MaskOptions {
	readonly depth: number;
	/** Mask a text that stands where an object or list with secret members should be: it may be that object, not yet parsed. */
	readonly maskUnparsed: boolean;
}

function maskValue(value: JsonValue, definition: ParameterDefinition, options: MaskOptions): JsonValue {
	if (definition.secret === true || options.depth > maximumDepth) return mask;
	const deeper = { ...options, depth: options.depth + 1 };
	let masked = value;
	for (const alternative of [...(definition.allOf ?? []), ...(definition.anyOf ?? []), ...(definition.oneOf ?? [])]) {
		masked = maskValue(masked, alternative, deeper);
	}
	if (isArray(masked)) return maskElements(masked, definition, deeper);
	if (isObject(masked)) {
		return replaceMembers(masked, (key, member) => {
			const inner = memberDefinition(definition, key);
			return inner === undefined ? member : maskValue(member, inner, deeper);
		});
	}
	if (typeof masked === "string" && options.maskUnparsed && hasSecretMember(definition, options.depth)) return mask;
	return masked;
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

function memberDefinition(definition: ParameterDefinition, key: string): ParameterDefinition | undefined {
	const named = own(definition.properties, key);
	if (named !== undefined) return named;
	for (const [pattern, inner] of Object.entries(definition.patternProperties ?? {})) {
		if (matches(pattern, key)) return inner;
	}
	return typeof definition.additionalProperties === "object" ? definition.additionalProperties : undefined;
}

/** A pattern that cannot be read masks everything: better too much than too little. */
function matches(pattern: string, key: string): boolean {
	try {
		return new RegExp(pattern).test(key);
	} catch {
		return true;
	}
}

function hasSecretMember(definition: ParameterDefinition, depth: number): boolean {
	if (depth > maximumDepth) return true;
	const inner: unknown[] = [
		...Object.values(definition.properties ?? {}),
		...Object.values(definition.patternProperties ?? {}),
		definition.additionalProperties,
		definition.additionalItems,
		...(isArray(definition.items) ? definition.items : [definition.items]),
	];
	return inner.some(
		(member) =>
			isObject(member) && ((member as ParameterDefinition).secret === true || hasSecretMember(member as ParameterDefinition, depth + 1)),
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
	return (key === "type" || key === "secret") && isObject(value);
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

function maskLogValue(value: unknown, names: ReadonlySet<string>, depth: number): unknown {
	if (Array.isArray(value)) {
		const copy = value.map((element) => maskLogValue(element, names, depth + 1));
		return copy.some((element, index) => element !== value[index]) ? copy : value;
	}
	if (!isPlainObject(value)) return value;
	if (depth > maximumDepth) return mask;
	let copy: Record<string, unknown> | undefined;
	for (const [key, member] of Object.entries(value)) {
		const masked = names.has(key.toLowerCase()) ? mask : maskLogValue(member, names, depth + 1);
		if (masked === member) continue;
		copy ??= { ...value };
		copy[key] = masked;
	}
	return copy ?? value;
}

function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
	return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

function isArray(value: unknown): value is readonly JsonValue[] & readonly ParameterDefinition[] {
	return Array.isArray(value);
}

function isObject(value: unknown): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Errors, dates and the like are written by the logger in its own way. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
	if (typeof value !== "object" || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}
