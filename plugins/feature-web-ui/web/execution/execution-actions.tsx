import { useSignal } from "@preact/signals";
import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { attempt, notices } from "../kit/notices.ts";
import { toActionUid } from "../kit/permissions.ts";
import type { Resource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { ConfirmWithReason } from "../parts/confirm.tsx";
import { isEnded } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution.ts";
import { RerunTasks } from "../workflow/rerun-tasks.tsx";
import { rerun } from "./rerun.ts";
import { RerunDialog } from "./rerun-dialog.tsx";

type Asked = "pause" | "resume" | "cancel" | "changes" | undefined;

/** Shows the buttons that the status of an execution and the permissions of the user allow. */
export function ExecutionActions({ run, resource }: { readonly run: ExecutionRecord; readonly resource: Resource<ExecutionRecord> }) {
	const asked = useSignal<Asked>(undefined);
	const uid = toActionUid(run.action.ref);
	const mayStop = session.may("execution_stop", uid) && !isEnded(run.status);
	const mayRerun = session.may("execution_rerun", uid);
	const isWorkflow = run.liveaction.action_is_workflow;
	return (
		<>
			{mayStop && isWorkflow && run.status === "running" && (
				<button type="button" onClick={() => (asked.value = "pause")}>
					{texts.pause}
				</button>
			)}
			{run.awaited_inquiries !== undefined && <Awaited inquiries={run.awaited_inquiries} />}
			{mayStop && run.status === "paused" && run.awaited_inquiries === undefined && (
				<button type="button" onClick={() => (asked.value = "resume")}>
					{texts.resume}
				</button>
			)}
			{mayStop && (
				<button type="button" class="danger" onClick={() => (asked.value = "cancel")}>
					{common.cancel}
				</button>
			)}
			<RerunTasks run={run} label={texts.runTasksAgain} />
			{mayRerun && (
				<button type="button" onClick={() => (asked.value = "changes")}>
					{texts.runWithChanges}
				</button>
			)}
			{mayRerun && (
				<button type="button" class="primary" onClick={() => void rerun(run.id)}>
					{texts.runAgain}
				</button>
			)}
			{asked.value !== undefined && asked.value !== "changes" && (
				<StateChange verb={asked.value} run={run} resource={resource} onClose={() => (asked.value = undefined)} />
			)}
			{asked.value === "changes" && <RerunDialog run={run} onClose={() => (asked.value = undefined)} />}
		</>
	);
}

interface StateChangeProps {
	readonly verb: "pause" | "resume" | "cancel";
	readonly run: ExecutionRecord;
	readonly resource: Resource<ExecutionRecord>;
	readonly onClose: () => void;
}

/** Requests a reason and changes the state. */
function StateChange({ verb, run, resource, onClose }: StateChangeProps) {
	const { title, action, done } = texts.changes[verb];
	const change = (reason: string | undefined) =>
		verb === "cancel"
			? cancel(run.id, { reason, done, resource })
			: attempt(async () => resource.set(await client.executions[verb](run.id, { reason })), done);
	return (
		<ConfirmWithReason
			title={title(run.action.ref)}
			action={action}
			isDangerous={verb === "cancel"}
			{...(verb === "cancel" && { dismiss: texts.keep })}
			onConfirm={(reason) => void change(reason)}
			onClose={onClose}
		/>
	);
}

/**
 * Links to the inquiries whose answers the execution waits for. Shown instead of the resume button, because resuming has no effect before
 * they are answered.
 */
function Awaited({ inquiries }: { readonly inquiries: readonly string[] }) {
	const [id = "", ...more] = inquiries;
	if (more.length === 0) return <a href={toHref(toPath("/inquiries/:id", { id }))}>{texts.awaited(1)}</a>;
	return <a href={toHref("/inquiries")}>{texts.awaited(inquiries.length)}</a>;
}

interface Canceling extends Pick<StateChangeProps, "resource"> {
	readonly reason: string | undefined;
	readonly done: string;
}

async function cancel(id: string, { reason, done, resource }: Canceling): Promise<void> {
	await attempt(async () => {
		const { refused } = await client.executions.cancel(id, { reason });
		if (refused === undefined) notices.say(done);
		else notices.say(refused, "fault");
	}, "");
	await resource.reload();
}
