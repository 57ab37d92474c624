import type { ExecutionEntity, Runner } from "../../contract/index.ts";
import { findResultSecrets } from "../../secrets/result-masking.ts";
import { toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { assertRecordable, toRunResult } from "../basics/plugin-results.ts";

import type { CompletionEffects } from "../executions/completion-effects.ts";
import { applyPatch, type ExecutionPatch, toResultPatch, toStatusPatch } from "../executions/status.ts";
import { checkOutput } from "../runs/output-schema.ts";
import type { PreparedRun } from "../runs/prepare-run.ts";
import type { RunWrites } from "../runs/run-writes.ts";

export interface InlineCompletionOptions extends Uses<"clock" | "sealedSecrets"> {
	readonly records: Pick<RunWrites, "toRunningPatch">;
	readonly endings: Pick<CompletionEffects, "draft">;
}

/**
 * Returns true if an execution may be completed in the write that inserts it. Its runner must support that. A child may not: its parent's
 * run must be notified of every state in order.
 */
export function canCompleteInline({ parent_id }: Pick<ExecutionEntity, "parent_id">, runner: Runner | undefined): boolean {
	return runner?.runAtOnce !== undefined && parent_id === null;
}

/**
 * Completes a claimed execution that is not stored yet, if its runner computes the result from its input alone (`runAtOnce`). Such a run
 * has no side effects that a crash could lose, so one write is enough. Returns the running and the final state.
 *
 * Returns undefined if the execution must be stored as running first. That is so if the run does not succeed with a valid result, if the
 * completion has effects, or if the execution is a child. Rejects with the error of the runner, or of anything else that prevents the
 * completion.
 */
export async function completeInline(
	claimed: ExecutionEntity,
	prepared: PreparedRun,
	{ clock, records, endings, sealedSecrets }: InlineCompletionOptions,
): Promise<readonly [running: ExecutionEntity, ended: ExecutionEntity] | undefined> {
	const { runner, snapshot, encryptedSecrets, context } = prepared;
	if (!canCompleteInline(claimed, runner)) return undefined;
	const running = applyPatch(claimed, records.toRunningPatch(claimed, { encryptedSecrets, isResumable: false, token_hash: null }));
	const runResult = await runner.runAtOnce?.(context);
	if (runResult === undefined) return undefined;
	const { succeeded, status, decided, result } = toRunResult(runResult, claimed.runner_name);
	if (!succeeded || status !== undefined || decided !== undefined) return undefined;
	assertRecordable(result, "the result of the action");
	if (checkOutput({ status: "succeeded", result }, snapshot).status !== "succeeded") return undefined;
	const known_secrets = sealedSecrets.addValues(encryptedSecrets, findResultSecrets(result, snapshot));
	const patch: ExecutionPatch = {
		known_secrets,
		...toResultPatch(result),
		...toStatusPatch(running, "succeeded", toTimestamp(clock.now())),
	};
	const ended = applyPatch(running, patch);
	// Completion effects read stored records, for example to find the depth of an event. So an execution with effects must be stored first.
	return (await endings.draft(ended)).operations.length === 0 ? [running, ended] : undefined;
}
