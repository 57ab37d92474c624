import {
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type ParameterDefinition,
	type ParameterSchema,
	parseJson,
} from "../../contract/index.ts";
import { asOneWork, currentWork, WorkBudget, type WorkLimits } from "../work-budget.ts";
import { isWholeSchema, memberReadings, type Reading, readDefinition } from "./definition-reader.ts";

/** What stands in place of a secret, whatever the type of the secret. */
export const mask = "********";

/** Deeper values are masked whole: nothing that deep passes the checks at the border. */
const maximumDepth = 100;

/** For one value, or all that are shown together. Names are short: patterns that need longer are made to. */
const limits: WorkLimits = { searching: 10, checking: 0, steps: 500_000 };

/** For an answer that is masked in several steps, with waiting in between: each is run by it. */
export function createMaskWork(): WorkBudget {
	return new WorkBudget(limits);
}

/** Mask all that one answer shows as one piece of work. */
export function maskTogether<T>(maskAll: () => T): T {
	return asOneWork(maskAll, limits);
}

/** Values of an execution's parameters with secrets masked; `secret` in either schema suffices. The same object when nothing is secret. */
export function maskParameters(values: JsonObject, actionSchema: ParameterSchema, runnerSchema: ParameterSchema): JsonObject {
	return maskBySchema(maskBySchema(values, actionSchema), runnerSchema);
}

/** A copy of `values` with everything masked that `schema` calls secret, nested members included. The same object when nothing is. */
export function maskBySchema(values: JsonObject, schema: ParameterSchema): JsonObject {
	return maskTogether(() =>
		replaceMembers(values, (key, value) => {
			const definition = own(schema, key);
			return definition === undefined ? value : maskValue(value, readDefinition(definition), { depth: 0, maskMismatch: true });
		}),
	);
}

/** A copy of `values` with everything masked that a schema of such an object calls secret. The same object when nothing is. */
export function maskMembers(values: JsonObject, schema: JsonObject): JsonObject {
	return maskTogether(() => maskByReading(values, readDefinition(schema), { depth: 0, maskMismatch: true }));
}

/** A value by a definition that was read. */
export function maskRead(value: JsonValue, reading: Reading, { maskMismatch }: Pick<MaskOptions, "maskMismatch">): JsonValue {
	return maskTogether(() => maskValue(value, reading, { depth: 0, maskMismatch }));
}

/** The texts that are secret among `values`. */
export function collectSecrets(values: JsonObject, ...schemas: readonly ParameterSchema[]): string[] {
	return [...new Set(schemas.flatMap((schema) => collectMasked(values, maskBySchema(values, schema))))];
}

/** The texts that are masked in `masked`, which is a masked copy of `values`. */
export function collectMasked(values: JsonObject, masked: JsonObject): readonly string[] {
	const secrets = new Set<string>();
	collectDifferent(values, masked, secrets);
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

/** A value by a definition that was read. Whatever cannot be judged, or not in the time and steps there are, is masked. */
function maskValue(value: JsonValue, reading: Reading, options: MaskOptions): JsonValue {
	if (reading.isSecret || options.depth > maximumDepth) return mask;
	if (!reading.holdsSecret) return value;
	if (!currentWork().takes(1)) return mask;
	const deeper = { ...options, depth: options.depth + 1 };
	let masked = value;
	for (const alternative of reading.alternatives) masked = maskValue(masked, alternative, deeper);
	if (options.maskMismatch && masked !== null && !isDescribed(masked, reading)) return mask;
	if (isArray(masked)) return maskElements(masked, reading, deeper);
	if (!isJsonObject(masked)) return masked;
	return replaceByMember(masked, reading, deeper);
}

/** An object that stays one, whatever the definition says. */
function maskByReading(values: JsonObject, reading: Reading, options: MaskOptions): JsonObject {
	if (reading.isSecret || options.depth > maximumDepth) return replaceMembers(values, () => mask);
	if (!reading.holdsSecret) return values;
	const deeper = { ...options, depth: options.depth + 1 };
	const masked = reading.alternatives.reduce((values, alternative) => maskByReading(values, alternative, deeper), values);
	return replaceByMember(masked, reading, deeper);
}

function replaceByMember(values: JsonObject, reading: Reading, options: MaskOptions): JsonObject {
	return replaceMembers(values, (key, member) => {
		const readings = memberReadings(reading, key);
		return readings === undefined ? mask : readings.reduce<JsonValue>((value, inner) => maskValue(value, inner, options), member);
	});
}

/** Whether the definition says what the parts of such a value are, or it can have none. A text could have been parsed. */
function isDescribed(value: JsonValue, { type, elements, members, patterns, otherMembers }: Reading): boolean {
	if (value === mask) return true;
	if (isArray(value)) return type !== "object" && elements !== undefined;
	if (!isJsonObject(value)) return typeof value !== "string";
	return type !== "array" && [members, patterns, otherMembers].some((described) => described !== undefined);
}

function maskElements(values: readonly JsonValue[], { elements, otherElements }: Reading, options: MaskOptions): readonly JsonValue[] {
	if (elements === undefined) return values;
	let changed = false;
	const copy = values.map((value, index) => {
		const inner = "isSecret" in elements ? elements : (elements[index] ?? otherElements);
		if (inner === undefined) return value;
		const masked = maskValue(value, inner, options);
		changed ||= masked !== value;
		return masked;
	});
	return changed ? copy : values;
}

/** Whether a value of this definition is a secret or may hold one. */
export function holdsSecret(definition: ParameterDefinition): boolean {
	return readDefinition(definition).holdsSecret;
}

const outputReadings = new WeakMap<JsonObject, Reading>();

/** Old packs write the members of an object directly, without `type` and `properties`. */
export function readOutputSchema(schema: JsonObject): Reading {
	let reading = outputReadings.get(schema);
	if (reading === undefined) {
		reading = readDefinition(isWholeSchema(schema) ? schema : { type: "object", properties: schema });
		outputReadings.set(schema, reading);
	}
	return reading;
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
	if (typeof value === "string" && typeof masked === "string" && masked !== mask) {
		// JSON that a command printed: masked by its members.
		collectDifferent(parseJson(value), parseJson(masked), into);
		return;
	}
	if (masked === mask) {
		collectTexts(value, into, 0);
		return;
	}
	for (const [key, member] of Object.entries(value as JsonObject)) collectDifferent(member, (masked as JsonObject)[key] ?? null, into);
}

function collectTexts(value: JsonValue, into: Set<string>, depth: number): void {
	if (typeof value === "string") into.add(value);
	else if (typeof value === "number" || typeof value === "bigint") into.add(String(value));
	else if (typeof value === "object" && value !== null && depth < maximumDepth) {
		for (const member of Object.values(value)) collectTexts(member, into, depth + 1);
	}
}

function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
	return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
	return Array.isArray(value);
}
