import { useSignal } from "@preact/signals";
import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { attempt, notices } from "../kit/notices.ts";
import { toActionUid } from "../kit/permissions.ts";
import { client, session } from "../kit/service.ts";
import { Confirm, ConfirmWithReason } from "../parts/confirm.tsx";
import { isEnded } from "../parts/status-badge.tsx";
import * as texts from "../texts/execution-list.ts";

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
		if (done > 0) notices.say(wanted === "cancel" ? texts.canceled(done) : texts.startedAgain(done));
		onDone();
	};
	return (
		<>
			{cancelable.length > 0 && (
				<button type="button" onClick={() => (asked.value = "cancel")}>
					{texts.cancelMany(cancelable.length)}
				</button>
			)}
			{repeatable.length > 0 && (
				<button type="button" onClick={() => (asked.value = "rerun")}>
					{texts.runAgainMany(repeatable.length)}
				</button>
			)}
			{act === "cancel" && (
				<ConfirmWithReason
					title={texts.cancelTitle}
					action={texts.cancelMany(cancelable.length)}
					isDangerous
					dismiss={texts.keep}
					onConfirm={(reason) => void perform("cancel", reason)}
					onClose={() => (asked.value = undefined)}
				/>
			)}
			{act === "rerun" && (
				<Confirm
					title={texts.runAgainTitle}
					action={texts.runAgainMany(repeatable.length)}
					onConfirm={() => void perform("rerun")}
					onClose={() => (asked.value = undefined)}
				/>
			)}
		</>
	);
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
