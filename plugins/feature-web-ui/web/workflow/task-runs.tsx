import { useSignal } from "@preact/signals";
import type { TaskState } from "../../../_shipped/client.ts";
import { ExecutionResult, maxResultSize } from "../execution/execution-result.tsx";
import { ExecutionError } from "../execution/reason.tsx";
import { toExecutionHref } from "../executions/execution-address.ts";
import { readExecutions } from "../executions/read-executions.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Duration } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/workflow.ts";

const stepSize = 30;

/** Lists the executions of a task, including all items, retries and repeated runs. One of them is selected. */
export function TaskRuns({ tasks, chosen }: { readonly tasks: readonly TaskState[]; readonly chosen: string | undefined }) {
	const shown = useSignal(stepSize);
	const all = tasks.flatMap(({ execution_ids }) => execution_ids);
	const ids = all.slice(0, shown.value);
	// A single execution is not listed, so its state is not needed.
	const runs = useResource((signal) => readExecutions(ids.length > 1 ? ids : [], "id,status", signal), [ids.join()], {
		isTouched: ({ name, data }) => name.startsWith("svc.execution__") && isOneOf(data, ids),
	});
	if (all.length < 2) return null;
	const { path, query } = addressBar.current.value;
	const given = Object.fromEntries(query);
	return (
		<>
			<h3>{texts.executionCount(all.length)}</h3>
			<ul class="task-runs" aria-label={texts.executionsOfTask}>
				{ids.map((id, index) => (
					<li key={id}>
						<a href={toHref(path, { ...given, run: id })} aria-current={id === chosen ? "true" : undefined}>
							{index + 1} <StatusBadge status={runs.value.value?.get(id)?.status ?? ""} />
						</a>
					</li>
				))}
			</ul>
			{all.length > ids.length && (
				<button type="button" class="quiet" onClick={() => (shown.value += stepSize * 3)}>
					{common.more(all.length - ids.length)}
				</button>
			)}
		</>
	);
}

/** Shows the input and the result of one execution. */
export function TaskRun({ id }: { readonly id: string }) {
	const resource = useResource((signal) => client.executions.get(id, { query: { max_result_size: maxResultSize }, signal }), [id], {
		isTouched: ({ name, data }) => name.startsWith("svc.execution__") && isOneOf(data, [id]),
	});
	return (
		<Loaded resource={resource}>
			{(run) => (
				<div>
					<p class="task-run-head" aria-live="polite">
						<StatusBadge status={run.status} /> <Duration from={run.start_timestamp} to={run.end_timestamp} />
						<a href={toExecutionHref(run.id)}>{texts.openExecution}</a>
						<a href={toExecutionHref(run.id, "log")}>{texts.openLog}</a>
					</p>
					<ExecutionError run={run} />
					<h3>{common.parameters}</h3>
					<JsonTree value={run.parameters ?? {}} />
					<h3>{common.result}</h3>
					<ExecutionResult run={run} />
				</div>
			)}
		</Loaded>
	);
}

function isOneOf(data: unknown, ids: readonly string[]): boolean {
	return typeof data === "object" && data !== null && "id" in data && typeof data.id === "string" && ids.includes(data.id);
}
