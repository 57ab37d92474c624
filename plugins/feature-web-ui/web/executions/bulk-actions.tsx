import { useSignal } from "@preact/signals";
import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { attempt, notices } from "../kit/notices.ts";
import { toActionUid } from "../kit/permissions.ts";
import { client, session } from "../kit/service.ts";
import { Confirm, ConfirmWithReason } from "../parts/confirm.tsx";
import { isEnded } from "../parts/status-badge.tsx";

interface BulkActionsProps {
	/** Selected executions. */
	readonly runs: readonly ExecutionRecord[];
	readonly onDone: () => void;
}

type Act = "cancel" | "rerun";

/**
 * Shows buttons that cancel or repeat the selected executions. Each is a separate request, so that one failure does not affect the others.
 */
export function BulkActions({ runs, onDone }: BulkActionsProps) {
	const asked = useSignal<Act | undefined>(undefined);
	const { value: act } = asked;
	const may = (permission: string) => (run: ExecutionRecord) => session.may(permission, toActionUid(run.action.ref));
	const cancelable = runs.filter(may("execution_stop")).filter(({ status }) => !isEnded(status));
	const repeatable = runs.filter(may("execution_rerun"));
	const perform = async (wanted: Act, reason?: string) => {
		const done = wanted === "cancel" ? await each(cancelable, ({ id }) => cancel(id, reason)) : await each(repeatable, rerun);
		if (done > 0) notices.say(`${wanted === "cancel" ? "Canceled" : "Started again"}: ${count(done)}`);
		onDone();
	};
	return (
		<>
			{cancelable.length > 0 && (
				<button type="button" onClick={() => (asked.value = "cancel")}>
					Cancel {count(cancelable.length)}
				</button>
			)}
			{repeatable.length > 0 && (
				<button type="button" onClick={() => (asked.value = "rerun")}>
					Run {count(repeatable.length)} again
				</button>
			)}
			{act === "cancel" && (
				<ConfirmWithReason
					title="Cancel these runs?"
					action={`Cancel ${count(cancelable.length)}`}
					isDangerous
					onConfirm={(reason) => void perform("cancel", reason)}
					onClose={() => (asked.value = undefined)}
				/>
			)}
			{act === "rerun" && (
				<Confirm
					title="Run these again?"
					action={`Run ${count(repeatable.length)} again`}
					onConfirm={() => void perform("rerun")}
					onClose={() => (asked.value = undefined)}
				/>
			)}
		</>
	);
}

function count(number: number): string {
	return number === 1 ? "1 run" : `${number} runs`;
}

/** Performs the action on each execution and returns the number of successes. A notice reports each failure. */
async function each(runs: readonly ExecutionRecord[], act: (run: ExecutionRecord) => Promise<void>): Promise<number> {
	let done = 0;
	for (const run of runs) if (await attempt(() => act(run), "")) done += 1;
	return done;
}

async function cancel(id: string, reason: string | undefined): Promise<void> {
	const { refused } = await client.executions.cancel(id, { reason });
	if (refused !== undefined) throw new Error(refused);
}

async function rerun({ id }: ExecutionRecord): Promise<void> {
	await client.executions.rerun(id, {});
}
