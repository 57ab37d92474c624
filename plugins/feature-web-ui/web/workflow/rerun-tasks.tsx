import { useSignal } from "@preact/signals";
import { type ExecutionRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { rerun } from "../execution/rerun.ts";
import { toActionUid } from "../kit/permissions.ts";
import { session } from "../kit/service.ts";
import { Dialog } from "../parts/confirm.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { isEnded, isFailure, StatusBadge } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/workflow.ts";
import { type TaskNode, useExecutionGraph } from "./execution-graph.ts";
import { toNodeStatus } from "./task-labels.ts";

interface RerunTasksProps {
	readonly run: ExecutionRecord;
	/** Label of the button. */
	readonly label: string;
	/** Task that is selected at first. Default: the failed tasks. */
	readonly task?: string;
}

/**
 * Shows a button that runs tasks of a workflow again. Shows nothing while the workflow runs, if the user may not run it again, or for an
 * action chain, which can only be repeated as a whole.
 */
export function RerunTasks({ run, label, task }: RerunTasksProps) {
	const isAsked = useSignal(false);
	const isPossible = run.liveaction.action_is_workflow && run.runner.name !== "action-chain" && isEnded(run.status);
	if (!isPossible || !session.may("execution_rerun", toActionUid(run.action.ref))) return null;
	return (
		<>
			<button type="button" onClick={() => (isAsked.value = true)}>
				{label}
			</button>
			{isAsked.value && <TasksDialog run={run} task={task} onClose={() => (isAsked.value = false)} />}
		</>
	);
}

interface DialogProps {
	readonly run: ExecutionRecord;
	readonly task: string | undefined;
	readonly onClose: () => void;
}

function TasksDialog({ run, task, onClose }: DialogProps) {
	const graph = useExecutionGraph(run);
	return (
		<Dialog title={texts.rerunTitle} onClose={onClose}>
			<p>{texts.rerunText}</p>
			<Loaded resource={graph}>{({ nodes }) => <TaskForm run={run} nodes={inOrder(nodes)} task={task} onClose={onClose} />}</Loaded>
		</Dialog>
	);
}

/** Maximum number of tasks that the form lists. The user can find other tasks by a part of their name. */
const maxShown = 100;

function TaskForm({
	run,
	nodes,
	task,
	onClose,
}: Omit<DialogProps, "run"> & { readonly run: ExecutionRecord; readonly nodes: readonly TaskNode[] }) {
	const chosen = useSignal<ReadonlySet<string>>(new Set(task === undefined ? nodes.filter(hasFailed).map(({ id }) => id) : [task]));
	const reset = useSignal<ReadonlySet<string>>(new Set());
	const find = useSignal("");
	const fitting = nodes.filter(({ id }) => chosen.value.has(id) || id.includes(find.value));
	const tasks = nodes.map(({ id }) => id).filter((id) => chosen.value.has(id));
	const submit = async () => {
		const request = { tasks, reset: tasks.filter((id) => reset.value.has(id)) };
		if (await rerun(run.id, request, "graph")) onClose();
	};
	return (
		<form
			onSubmit={(event) => {
				event.preventDefault();
				void submit();
			}}
		>
			{nodes.length > maxShown && (
				<label>
					<span class="dialog-field">{texts.findTask}</span>
					<input type="search" value={find.value} onInput={(event) => (find.value = event.currentTarget.value)} />
				</label>
			)}
			<ul class="task-choice" aria-label={texts.tasksThatRan}>
				{fitting.slice(0, maxShown).map((node) => (
					<li key={node.id}>
						<TaskChoice
							node={node}
							isChosen={chosen.value.has(node.id)}
							isReset={reset.value.has(node.id)}
							onChoose={() => (chosen.value = toggle(chosen.value, node.id))}
							onReset={() => (reset.value = toggle(reset.value, node.id))}
						/>
					</li>
				))}
			</ul>
			{fitting.length > maxShown && <p class="faint">{common.andMore(fitting.length - maxShown)}</p>}
			<div class="dialog-actions">
				<button type="button" onClick={onClose}>
					{common.cancel}
				</button>
				<button type="submit" class="primary" disabled={tasks.length === 0}>
					{texts.runTasksAgain(tasks.length)}
				</button>
			</div>
		</form>
	);
}

interface ChoiceProps {
	readonly node: TaskNode;
	readonly isChosen: boolean;
	readonly isReset: boolean;
	readonly onChoose: () => void;
	readonly onReset: () => void;
}

function TaskChoice({ node, isChosen, isReset, onChoose, onReset }: ChoiceProps) {
	const items = node.tasks.at(-1)?.items ?? null;
	return (
		<>
			<label>
				<input type="checkbox" checked={isChosen} onChange={onChoose} /> {escapeControlCharacters(node.id)}{" "}
				<StatusBadge status={toNodeStatus(node) ?? ""} />
			</label>
			{isChosen && items !== null && (
				<label class="task-reset">
					<input type="checkbox" checked={isReset} onChange={onReset} /> {texts.includeSucceeded}{" "}
					<span class="faint">({texts.items(items)})</span>
				</label>
			)}
		</>
	);
}

function hasFailed(node: TaskNode): boolean {
	return isFailure(toNodeStatus(node) ?? "");
}

/** Returns the tasks that have run, the failed ones first. */
function inOrder(nodes: readonly TaskNode[]): readonly TaskNode[] {
	const ran = nodes.filter(({ tasks }) => tasks.length > 0);
	return [...ran.filter(hasFailed), ...ran.filter((node) => !hasFailed(node))];
}

function toggle(set: ReadonlySet<string>, name: string): ReadonlySet<string> {
	const next = new Set(set);
	if (!next.delete(name)) next.add(name);
	return next;
}
