import type { ExecutionEntity, Runner } from "../../contract/index.ts";
import type { SealedSecrets } from "../../secrets/encrypted-secrets.ts";
import { findResultSecrets } from "../../secrets/result-masking.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { assertRecordable, toRunResult } from "../basics/plugin-results.ts";

import type { Endings } from "../executions/completion-effects.ts";
import { applied, type ExecutionPatch, toResultPatch, toStatusPatch } from "../executions/status.ts";
import { checkOutput } from "../runs/output-schema.ts";
import type { PreparedRun } from "../runs/prepare-run.ts";
import type { RunRecords } from "../runs/run-writes.ts";

export interface AtOnceParts {
	readonly clock: EngineClock;
	readonly records: Pick<RunRecords, "toRunning">;
	readonly endings: Pick<Endings, "draft">;
	readonly sealedSecrets: SealedSecrets;
}

/** Whether it may: who else waits for what becomes of an execution must hear of it in the order of its states. */
export function mayEndAtOnce({ parent_id }: Pick<ExecutionEntity, "parent_id">, runner: Runner | undefined): boolean {
	return runner?.runAtOnce !== undefined && parent_id === null;
}

/**
 * A claimed execution that nobody has stored yet as it is while it runs and as it ends, where its runner makes its result of nothing but what
 * it is given: then there is nothing that a crash could lose, and one write is enough. Undefined where it must be stored as running first: its
 * end would cause something, or it is part of another one that waits for what becomes of it. Rejects with whatever stands in the way.
 */
export async function endAtOnce(
	claimed: ExecutionEntity,
	prepared: PreparedRun,
	{ clock, records, endings, sealedSecrets }: AtOnceParts,
): Promise<readonly [running: ExecutionEntity, ended: ExecutionEntity] | undefined> {
	const { runner, snapshot, sealed, context } = prepared;
	if (!mayEndAtOnce(claimed, runner)) return undefined;
	const running = applied(claimed, records.toRunning(claimed, { sealed, isFound: false, token_hash: null }));
	const answer = await runner.runAtOnce?.(context);
	if (answer === undefined) return undefined;
	const { succeeded, status, decided, result } = toRunResult(answer, claimed.runner_name);
	if (!succeeded || status !== undefined || decided !== undefined) return undefined;
	assertRecordable(result, "the result of the action");
	if (checkOutput({ status: "succeeded", result }, snapshot).status !== "succeeded") return undefined;
	const known_secrets = sealedSecrets.add(sealed, findResultSecrets(result, snapshot));
	const end: ExecutionPatch = { known_secrets, ...toResultPatch(result), ...toStatusPatch(running, "succeeded", toTimestamp(clock.now())) };
	const ended = applied(running, end);
	// What follows it reads what is stored, such as how far an event is from the one that began it all: that must be there before.
	return (await endings.draft(ended)).operations.length === 0 ? [running, ended] : undefined;
}
