import { useSignal } from "@preact/signals";
import type { ExecutionRecord } from "../../features/clients.ts";
import { toHref, toPath } from "../kit/address.ts";
import { attempt, notices } from "../kit/notices.ts";
import { toActionUid } from "../kit/permissions.ts";
import type { Resource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { Confirm } from "../parts/confirm.tsx";
import { isEnded } from "../parts/status-badge.tsx";
import { RerunTasks } from "../workflow/rerun-tasks.tsx";
import { RerunDialog } from "./rerun-dialog.tsx";
import { runAgain } from "./run-again.ts";

type Asked = "cancel" | "changes" | undefined;

/** What can be done with an execution as it stands, by whoever looks. */
export function RunActions({ run, resource }: { readonly run: ExecutionRecord; readonly resource: Resource<ExecutionRecord> }) {
	const asked = useSignal<Asked>(undefined);
	const uid = toActionUid(run.action.ref);
	const mayStop = session.may("execution_stop", uid) && !isEnded(run.status);
	const mayRerun = session.may("execution_rerun", uid);
	const isWorkflow = run.liveaction.action_is_workflow;
	const change = (act: () => Promise<ExecutionRecord>, done: string) => attempt(async () => resource.set(await act()), done);
	return (
		<>
			{mayStop && isWorkflow && run.status === "running" && (
				<button type="button" onClick={() => void change(() => client.executions.pause(run.id), "It pauses when its tasks have ended")}>
					Pause
				</button>
			)}
			{run.awaited_inquiries !== undefined && <Awaited inquiries={run.awaited_inquiries} />}
			{mayStop && run.status === "paused" && run.awaited_inquiries === undefined && (
				<button type="button" onClick={() => void change(() => client.executions.resume(run.id), "It goes on")}>
					Resume
				</button>
			)}
			{mayStop && (
				<button type="button" class="danger" onClick={() => (asked.value = "cancel")}>
					Cancel
				</button>
			)}
			<RerunTasks run={run} label="Run tasks again …" />
			{mayRerun && (
				<button type="button" onClick={() => (asked.value = "changes")}>
					Run with changes …
				</button>
			)}
			{mayRerun && (
				<button type="button" class="primary" onClick={() => void runAgain(run.id)}>
					Run again
				</button>
			)}
			{asked.value === "cancel" && (
				<Confirm
					title={`Cancel ${run.action.ref}?`}
					action="Cancel the run"
					isDangerous
					onConfirm={() => void cancel(run.id, resource)}
					onClose={() => (asked.value = undefined)}
				/>
			)}
			{asked.value === "changes" && <RerunDialog run={run} onClose={() => (asked.value = undefined)} />}
		</>
	);
}

/** Leads to the inquiries whose answers the execution waits for: a resume would do nothing. */
function Awaited({ inquiries }: { readonly inquiries: readonly string[] }) {
	const [id = "", ...more] = inquiries;
	if (more.length === 0) return <a href={toHref(toPath("/inquiries/:id", { id }))}>Waits for an answer</a>;
	return <a href={toHref("/inquiries")}>Waits for {inquiries.length} answers</a>;
}

async function cancel(id: string, resource: Resource<ExecutionRecord>): Promise<void> {
	await attempt(async () => {
		const { refused } = await client.executions.cancel(id);
		if (refused === undefined) notices.say("It is being canceled");
		else notices.say(refused, "fault");
	}, "");
	await resource.reload();
}
