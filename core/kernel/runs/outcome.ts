import {
	type ActionSnapshotEntity,
	type ExecutionEntity,
	type ExecutionStatus,
	type JsonObject,
	type JsonValue,
	maxLargeNumbers,
	type ParameterDefinition,
	parseJson,
	RunAborted,
	type RunResult,
} from "../../contract/index.ts";
import { findResultMismatch } from "../../language/parameters/result-mismatch.ts";
import { collectMasked, readOutputSchema } from "../../language/parameters/schema-masking.ts";
import { isJsonSchema } from "../../language/parameters/secret-schema.ts";
import type { EncryptedSecrets } from "../../secrets/encrypted-secrets.ts";
import {
	describesWholeResult,
	findCommandOutputHosts,
	findResultSecrets,
	isCommandOutput,
	maskMismatchedResult,
} from "../../secrets/result-masking.ts";
import { toErrorResult } from "../executions/error-result.ts";
import type { ActiveRun } from "./active-runs.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { encryptRunSecrets } from "./run-secrets.ts";

/** Status and result of a run before they are stored. */
export interface RunOutcome {
	readonly status: ExecutionStatus;
	readonly result: JsonObject;
}

/** Returns the outcome that the runner reports, or the outcome that follows from the abort reason if the run was aborted. */
export function toOutcome(result: RunResult, signal: AbortSignal, execution: ExecutionEntity): RunOutcome {
	const reason: unknown = signal.reason;
	if (result.status === "running") return toHandOver(result, reason);
	// A pause ignores the abort reason: even a canceled run may pause first, and ends its children when it is resumed.
	if (result.status === "paused" || result.status === "resuming") return { status: result.status, result: result.result };
	if (result.status === "pending" && !isCancelReason(reason)) return { status: "pending", result: result.result };
	// A run that succeeded before it noticed the abort counts as succeeded.
	if (!signal.aborted || result.succeeded || !(reason instanceof RunAborted)) {
		return { status: result.succeeded ? "succeeded" : (result.status ?? "failed"), result: result.result };
	}
	if (reason.kind === "cancel") return toCanceled(execution, result.result);
	const error = typeof result.result["error"] === "string" ? result.result["error"] : reason.message;
	return { status: reason.kind === "timeout" ? "timeout" : "abandoned", result: { ...result.result, error } };
}

export function isCancelReason(reason: unknown): boolean {
	return reason instanceof RunAborted && reason.kind === "cancel";
}

/**
 * Returns the outcome `running`: the work continues without the service. Unless the service is stopping, that is an error of the runner,
 * and the run fails.
 */
function toHandOver(result: RunResult, reason: unknown): RunOutcome {
	if (reason instanceof RunAborted && reason.kind === "shutdown") return { status: "running", result: {} };
	return { status: "failed", result: { ...result.result, error: "the runner resolved as running, but the service is not stopping" } };
}

/** Returns the outcome of a canceled run. `user` is the user who canceled it; if none is stored, the user of the execution. */
export function toCanceled(execution: ExecutionEntity, result: JsonObject): RunOutcome {
	const user = execution.context["cancelled_by"] ?? execution.user;
	return { status: "canceled", result: { ...result, message: "Action canceled by user.", user } };
}

/**
 * Returns the outcome for an error of a run or its preparation. Its message does not reveal the paths of the pack and the data directory.
 */
export async function toFailure(
	{ catalog, dataDirectory }: Pick<RunDependencies, "catalog" | "dataDirectory">,
	{ action_ref }: ExecutionEntity,
	error: unknown,
): Promise<RunOutcome> {
	const pack = await catalog.packDirectory(action_ref.split(".", 1)[0] ?? "").catch(() => undefined);
	return { status: "failed", result: toErrorResult(error, pack === undefined ? [dataDirectory] : [pack, dataDirectory]) };
}

/** Outcome of a run as it is stored. */
export interface StoredOutcome extends RunOutcome {
	/** Encrypted secrets of the run at its end; null if there are none. */
	readonly encryptedSecrets: string | null;
}

/**
 * Returns the outcome as it is stored: the token is removed from the result, and the result is checked against the output schema. Its
 * encrypted secrets include the secrets in the result and those that the run has read.
 */
export function toStoredOutcome({ status, result }: RunOutcome, run: ActiveRun, sealedSecrets: EncryptedSecrets): StoredOutcome {
	const { snapshot } = run.prepared;
	const cleanResult = run.secrets.withoutToken(result);
	const runSecrets = encryptRunSecrets(run, sealedSecrets, { isResumable: false });
	const resultSecrets = findResultSecrets(cleanResult, snapshot);
	const checked = validateResult({ status, result: cleanResult }, snapshot);
	const concealed = checked.status === status ? [] : collectMasked(cleanResult, checked.result);
	return { ...checked, encryptedSecrets: sealedSecrets.addValues(runSecrets, [...resultSecrets, ...concealed]) };
}

/**
 * Returns the outcome of a paused run as it is stored. Its encrypted secrets include the token, because the process that continues the run
 * uses the token again and must mask it.
 */
export function toStoredPause(outcome: RunOutcome, run: ActiveRun, sealedSecrets: EncryptedSecrets): StoredOutcome {
	const stored = toStoredOutcome(outcome, run, sealedSecrets);
	return { ...stored, encryptedSecrets: sealedSecrets.addToken(stored.encryptedSecrets, run.secrets) };
}

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
