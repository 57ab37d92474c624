import {
	type ActionSnapshotEntity,
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type OutputType,
	parseJson,
	stringifyJson,
} from "../contract/index.ts";
import { secretMask } from "../contract/secret-mask.ts";
import { inquiryRunnerType, maskAnswer } from "../language/inquiry-schema.ts";
import { collectMasked, maskBySecretSchema, maskWithinBudget, readOutputSchema } from "../language/parameters/schema-masking.ts";
import type { SecretSchema } from "../language/parameters/secret-schema.ts";
import { currentWorkBudget } from "../language/work-budget.ts";

type MaskingSchemas = Pick<ActionSnapshotEntity, "action" | "runner">;

/** Maximum characters of a string that is parsed. Longer strings are masked as a whole, because a list contains many results. */
const maxTextLength = 65_536;
const commandOutputTypes = ["stdout", "stderr"] as const;

/**
 * Masks the secrets of an execution's result by the output schema of its action. The result of an inquiry is also masked by its schema.
 */
export function maskExecutionResult(result: JsonObject, { action, runner }: MaskingSchemas): JsonObject {
	const schema = readOutputSchema(action.output_schema);
	const shown = schema.holdsSecret ? maskWithinBudget(() => maskByOutput(result, schema, runner.output_key)) : result;
	return runner.name === inquiryRunnerType ? maskAnswer(shown) : shown;
}

/**
 * Returns the output types that may contain secrets according to the output schema.
 *
 * A schema cannot be applied to single chunks of output, so the caller must mask these types as a whole.
 */
export function findSecretOutputTypes({ action, runner }: MaskingSchemas): readonly OutputType[] {
	const schema = readOutputSchema(action.output_schema);
	if (runner.output_key !== null || !schema.holdsSecret) return [];
	if (!describesWholeResult(schema)) return ["stdout", "other"];
	const secretTypes = commandOutputTypes.filter((type) => schema.members?.get(type)?.holdsSecret === true);
	// Runs on several hosts emit the lines of both output types as `other`.
	return secretTypes.length === 0 ? [] : [...secretTypes, "other"];
}

/** Masks a result that does not match its output schema, including all values at the positions of secrets. */
export function maskMismatchedResult(result: JsonObject, { action, runner }: MaskingSchemas): JsonObject {
	const schema = readOutputSchema(action.output_schema);
	if (!schema.holdsSecret) return result;
	const conceal = (value: JsonValue) => maskBySecretSchema(value, schema, { shouldMaskMismatch: true });
	return maskWithinBudget(() => {
		if (runner.output_key !== null) return maskMember(result, runner.output_key, conceal);
		if (isCommandOutput(result) || findCommandOutputHosts(result).length > 0) return maskByOutput(result, schema, null);
		return maskWholeResult(result, schema);
	});
}

/** Returns the names of hosts in a result. Runners for remote hosts return the output of a command for each host. */
export function findCommandOutputHosts(result: JsonObject): readonly string[] {
	return Object.keys(result).filter((name) => isCommandOutput(result[name]));
}

function maskByOutput(result: JsonObject, schema: SecretSchema, outputKey: string | null): JsonObject {
	if (outputKey !== null) return maskMember(result, outputKey, (value) => maskOutputKeyValue(value, schema));
	if (isCommandOutput(result)) return maskCommandOutput(result, schema);
	const hosts = findCommandOutputHosts(result);
	if (hosts.length === 0) return maskWholeResult(result, schema);
	return hosts.reduce((masked, host) => maskMember(masked, host, (value) => maskCommandOutput(value as JsonObject, schema)), result);
}

/** Masks a whole result, which remains an object. */
function maskWholeResult(result: JsonObject, schema: SecretSchema): JsonObject {
	const masked: JsonValue = maskBySecretSchema(result, schema, { shouldMaskMismatch: false });
	return isJsonObject(masked) ? masked : Object.fromEntries(Object.keys(result).map((name) => [name, secretMask]));
}

/** Masks the value of the output key. A string instead of a structure remains unchanged, unless it is JSON that was not parsed. */
function maskOutputKeyValue(value: JsonValue, schema: SecretSchema): JsonValue {
	if (schema.isSecret || typeof value !== "string") return maskBySecretSchema(value, schema, { shouldMaskMismatch: false });
	return /^\s*[[{]/.test(value) ? maskText(value, schema) : value;
}

/** Returns true if a result is the output of a command. */
export function isCommandOutput(value: JsonValue | undefined): boolean {
	return isJsonObject(value) && commandOutputTypes.some((type) => typeof value[type] === "string");
}

/** Masks the output of a command. Its schema describes standard output, or an object with the members `stdout` and `stderr`. */
function maskCommandOutput(output: JsonObject, schema: SecretSchema): JsonObject {
	if (!describesWholeResult(schema)) return maskMember(output, "stdout", (value) => maskText(value, schema));
	const names = new Set<string>([...commandOutputTypes, ...Object.keys(output)]);
	return [...names].reduce((masked, name) => {
		const memberSchema = schema.members?.get(name);
		if (memberSchema === undefined) return masked;
		const isText = commandOutputTypes.some((type) => type === name);
		return maskMember(masked, name, (value) =>
			isText ? maskText(value, memberSchema) : maskBySecretSchema(value, memberSchema, { shouldMaskMismatch: true }),
		);
	}, output);
}

/** Returns true if an output schema describes the whole result of a command, and not only its standard output. */
export function describesWholeResult({ isSecret, members }: SecretSchema): boolean {
	return !isSecret && commandOutputTypes.some((type) => members?.has(type) === true);
}

/** Masks a string that may be JSON. It is masked as a whole if it is not JSON of the expected type. An empty string remains unchanged. */
function maskText(value: JsonValue, schema: SecretSchema): JsonValue {
	if (!schema.holdsSecret || value === "") return value;
	if (schema.isSecret || typeof value !== "string" || value.length > maxTextLength) return secretMask;
	if (!currentWorkBudget().spendSteps(Math.ceil(value.length / 16))) return secretMask;
	const parsed = parseOrUndefined(value);
	if (typeof parsed !== "object" || parsed === null) return secretMask;
	const masked = maskBySecretSchema(parsed, schema, { shouldMaskMismatch: true });
	return masked === parsed ? value : masked === secretMask ? secretMask : stringifyJson(masked);
}

function parseOrUndefined(text: string): JsonValue | undefined {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

function maskMember(values: JsonObject, name: string, replace: (value: JsonValue) => JsonValue): JsonObject {
	const value = Object.hasOwn(values, name) ? values[name] : undefined;
	if (value === undefined) return values;
	const replaced = replace(value);
	return replaced === value ? values : Object.fromEntries(Object.entries(values).map(([key, old]) => [key, key === name ? replaced : old]));
}

/** Returns the secret strings of a result, according to the output schema of its action or the schema of an inquiry. */
export function findResultSecrets(result: JsonObject, snapshot: ActionSnapshotEntity): readonly string[] {
	return collectMasked(result, maskExecutionResult(result, snapshot));
}
