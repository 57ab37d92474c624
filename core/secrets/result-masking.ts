import {
	isJsonObject,
	type JsonObject,
	type JsonValue,
	type OutputType,
	parseJson,
	type SnapshotEntity,
	stringifyJson,
} from "../contract/index.ts";
import { inquiryRunnerType, maskAnswer } from "../language/inquiry-schema.ts";
import type { SecretSchema } from "../language/parameters/definition-reader.ts";
import { collectMasked, mask, maskBySecretSchema, maskWithinBudget, readOutputSchema } from "../language/parameters/schema-masking.ts";
import { currentWorkBudget } from "../language/work-budget.ts";

type Masked = Pick<SnapshotEntity, "action" | "runner">;

/** Longer texts are masked whole instead of being read: a list shows many of them. */
const longestText = 65_536;
const printedTypes = ["stdout", "stderr"] as const;

/** The result of an execution as it is shown: without what the output schema of its action calls secret, or the schema of an answer. */
export function maskExecutionResult(result: JsonObject, { action, runner }: Masked): JsonObject {
	const reading = readOutputSchema(action.output_schema);
	const shown = reading.holdsSecret ? maskWithinBudget(() => maskByOutput(result, reading, runner.output_key)) : result;
	return runner.name === inquiryRunnerType ? maskAnswer(shown) : shown;
}

/** The kinds of output that the output schema tells of secrets in. They come in pieces that cannot be judged. */
export function findSecretOutput({ action, runner }: Masked): readonly OutputType[] {
	const reading = readOutputSchema(action.output_schema);
	if (runner.output_key !== null || !reading.holdsSecret) return [];
	if (!describesResult(reading)) return ["stdout", "other"];
	const held = printedTypes.filter((type) => reading.members?.get(type)?.holdsSecret === true);
	// On several hosts a run prints lines of both to the third.
	return held.length === 0 ? [] : [...held, "other"];
}

/**
 * The result of an execution that its output schema does not describe, without what the schema calls secret and without whatever stands
 * where a secret should be.
 */
export function concealMismatch(result: JsonObject, { action, runner }: Masked): JsonObject {
	const reading = readOutputSchema(action.output_schema);
	if (!reading.holdsSecret) return result;
	const conceal = (value: JsonValue) => maskBySecretSchema(value, reading, { shouldMaskMismatch: true });
	return maskWithinBudget(() => {
		if (runner.output_key !== null) return maskMember(result, runner.output_key, conceal);
		if (isPrinted(result) || printingHosts(result).length > 0) return maskByOutput(result, reading, null);
		return maskWhole(result, reading);
	});
}

/** Names of the hosts whose output a result holds: runners of remote hosts have a result of their own for each. */
export function printingHosts(result: JsonObject): readonly string[] {
	return Object.keys(result).filter((name) => isPrinted(result[name]));
}

function maskByOutput(result: JsonObject, reading: SecretSchema, outputKey: string | null): JsonObject {
	if (outputKey !== null) return maskMember(result, outputKey, (value) => maskKeyed(value, reading));
	if (isPrinted(result)) return maskPrinted(result, reading);
	const hosts = printingHosts(result);
	if (hosts.length === 0) return maskWhole(result, reading);
	return hosts.reduce((masked, host) => maskMember(masked, host, (value) => maskPrinted(value as JsonObject, reading)), result);
}

/** It stays an object. */
function maskWhole(result: JsonObject, reading: SecretSchema): JsonObject {
	const masked: JsonValue = maskBySecretSchema(result, reading, { shouldMaskMismatch: false });
	return isJsonObject(masked) ? masked : Object.fromEntries(Object.keys(result).map((name) => [name, mask]));
}

/** A text in place of what the schema describes is left alone, unless it is just that, not yet parsed. */
function maskKeyed(value: JsonValue, reading: SecretSchema): JsonValue {
	if (reading.isSecret || typeof value !== "string") return maskBySecretSchema(value, reading, { shouldMaskMismatch: false });
	return /^\s*[[{]/.test(value) ? maskText(value, reading) : value;
}

/** Returns true if a result is the output of a command. */
export function isPrinted(value: JsonValue | undefined): boolean {
	return isJsonObject(value) && printedTypes.some((type) => typeof value[type] === "string");
}

/** What a command has printed is described as the text or JSON on its standard output, or with `stdout` and `stderr` as members. */
function maskPrinted(printed: JsonObject, reading: SecretSchema): JsonObject {
	if (!describesResult(reading)) return maskMember(printed, "stdout", (value) => maskText(value, reading));
	const texts = printedTypes.reduce((masked, type) => {
		const inner = reading.members?.get(type);
		return inner === undefined ? masked : maskMember(masked, type, (value) => maskText(value, inner));
	}, printed);
	const others = Object.keys(printed).filter((name) => !printedTypes.some((type) => type === name));
	return others.reduce((masked, name) => {
		const inner = reading.members?.get(name);
		return inner === undefined
			? masked
			: maskMember(masked, name, (value) => maskBySecretSchema(value, inner, { shouldMaskMismatch: true }));
	}, texts);
}

/** Returns true if an output schema describes the whole result of a command, and not only its standard output. */
export function describesResult({ isSecret, members }: SecretSchema): boolean {
	return !isSecret && printedTypes.some((type) => members?.has(type) === true);
}

/** A text that may be JSON: whole when it is not, or is no JSON of this kind. Without content there is nothing to hide. */
function maskText(value: JsonValue, reading: SecretSchema): JsonValue {
	if (!reading.holdsSecret || value === "") return value;
	if (reading.isSecret || typeof value !== "string" || value.length > longestText) return mask;
	if (!currentWorkBudget().spendSteps(Math.ceil(value.length / 16))) return mask;
	const parsed = parse(value);
	if (typeof parsed !== "object" || parsed === null) return mask;
	const masked = maskBySecretSchema(parsed, reading, { shouldMaskMismatch: true });
	return masked === parsed ? value : masked === mask ? mask : stringifyJson(masked);
}

function parse(text: string): JsonValue | undefined {
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

/** The texts that are secret in a result by the output schema of its action, or the schema of an answer. */
export function findResultSecrets(result: JsonObject, snapshot: SnapshotEntity): readonly string[] {
	return collectMasked(result, maskExecutionResult(result, snapshot));
}
