import {
	type ActionSnapshotEntity,
	type JsonObject,
	type JsonValue,
	maxLargeNumbers,
	type ParameterDefinition,
	parseJson,
} from "../../contract/index.ts";
import { findResultMismatch } from "../../language/parameters/result-mismatch.ts";
import { readOutputSchema } from "../../language/parameters/schema-masking.ts";
import { isJsonSchema } from "../../language/parameters/secret-schema.ts";
import { describesWholeResult, findCommandOutputHosts, isCommandOutput, maskMismatchedResult } from "../../secrets/result-masking.ts";
import type { RunOutcome } from "./outcome.ts";

/**
 * Checks the result of a successful run against the `output_schema` of its action. If they do not match, returns a failed outcome: the
 * result with secrets masked, and an `error` that describes the mismatch. Otherwise returns the outcome unchanged.
 */
export function validateResult(outcome: RunOutcome, snapshot: ActionSnapshotEntity): RunOutcome {
	if (outcome.status !== "succeeded" || Object.keys(snapshot.action.output_schema).length === 0) return outcome;
	const { result } = outcome;
	const mismatch = findDifference(result, snapshot);
	if (mismatch === undefined) return outcome;
	const flags = { ...(result["succeeded"] === true && { succeeded: false }), ...(result["failed"] === false && { failed: true }) };
	const error = `the result does not match the output_schema of the action: ${mismatch}`;
	return { status: "failed", result: { ...maskMismatchedResult(result, snapshot), ...flags, error } };
}

function findDifference(result: JsonObject, { action, runner }: ActionSnapshotEntity): string | undefined {
	const schema = action.output_schema;
	const key = runner.output_key;
	if (key !== null) return findResultMismatch(key, result[key] ?? null, schema);
	if (isCommandOutput(result)) return findInPrinted(result, schema, "");
	const hosts = findCommandOutputHosts(result);
	if (hosts.length === 0) return findResultMismatch("result", result, schema);
	for (const host of hosts) {
		const mismatch = findInPrinted(result[host] as JsonObject, schema, `${host}.`);
		if (mismatch !== undefined) return mismatch;
	}
	return undefined;
}

/**
 * Returns the first mismatch of the printed output of a command. The schema describes the output either as a string, or as the JSON in that
 * string. Truncated output is not checked. `pathPrefix` precedes the paths that the mismatch names.
 */
function findInPrinted(printed: JsonObject, schema: JsonObject, pathPrefix: string): string | undefined {
	if (printed["truncated"] !== undefined) return undefined;
	if (!describesWholeResult(readOutputSchema(schema))) return findInText(printed["stdout"] ?? "", schema, `${pathPrefix}stdout`);
	const members = (isJsonSchema(schema) ? schema["properties"] : schema) as
		| Readonly<Record<string, ParameterDefinition | undefined>>
		| undefined;
	const toDescribed = (name: string, value: JsonValue) => (members?.[name]?.type === "string" ? value : parse(value));
	const described = Object.fromEntries(Object.entries(printed).map(([name, value]) => [name, toDescribed(name, value)]));
	return findResultMismatch(`${pathPrefix}result`, described, schema);
}

function findInText(text: JsonValue, schema: JsonObject, name: string): string | undefined {
	const parsed = parse(text);
	const mismatch = findResultMismatch(name, parsed, schema);
	if (mismatch === undefined || parsed === text) return mismatch;
	return findResultMismatch(name, text, schema) === undefined ? undefined : mismatch;
}

function parse(value: JsonValue): JsonValue {
	if (typeof value !== "string") return value;
	try {
		return parseJson(value, maxLargeNumbers);
	} catch {
		return value;
	}
}
