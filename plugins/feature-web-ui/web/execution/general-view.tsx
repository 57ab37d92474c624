import { type ExecutionRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { toActionUid } from "../kit/permissions.ts";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { LogTail } from "../log/log-tail.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { isFailure, StatusBadge } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution.ts";
import { toTaskName } from "../timeline/timed-execution.ts";
import { ExecutionResult } from "./execution-result.tsx";
import type { ExecutionViewProps } from "./execution-view.ts";
import { ExecutionError } from "./reason.tsx";
import { rerun } from "./rerun.ts";

/** Shows the overview of an execution: the end of its output (after a failure, that of the failed task), its parameters and its result. */
export function View({ run }: ExecutionViewProps) {
	return (
		<>
			{isFailure(run.status) ? <FailingTask run={run} /> : <LogTail run={run} title={texts.output} />}
			<div class="run-columns">
				<section class="card">
					<h2>{common.parameters}</h2>
					<JsonTree value={run.parameters ?? {}} />
				</section>
				<section class="card">
					<h2>{common.result}</h2>
					<ExecutionResult run={run} />
				</section>
			</div>
		</>
	);
}

/** Maximum number of descendants that are searched for the failed one. */
const maxParts = 1_000;
const pageSize = 100;

/** Shows the descendant that caused the failure of an execution, with its error and its last output. */
export function FailingTask({ run }: { readonly run: ExecutionRecord }) {
	const hasParts = (run.children ?? []).length > 0;
	const query = { limit: maxParts, pageSize: session.toLimit(pageSize) };
	const failed = useResource(
		async (signal) => (hasParts ? findFailed(run, await client.executions.children(run.id, query, { signal })) : run),
		[run.id, run.status],
	);
	return (
		<Loaded resource={failed}>
			{(task) => (
				<section class="card failing">
					<div class="failing-head">
						<h2>{task.id === run.id ? texts.failed : texts.failedTask}</h2>
						{task.id !== run.id && (
							<>
								<StatusBadge status={task.status} />
								<a href={toExecutionHref(task.id)}>{escapeControlCharacters(toTaskName(task))}</a>
								<span class="faint">{escapeControlCharacters(task.action.ref)}</span>
							</>
						)}
						{task.id !== run.id && session.may("execution_rerun", toActionUid(task.action.ref)) && (
							<button type="button" onClick={() => void rerun(task.id)}>
								{texts.runOnlyThis}
							</button>
						)}
					</div>
					<ExecutionError run={task} />
					<LogTail run={task} title={texts.lastLines} />
				</section>
			)}
		</Loaded>
	);
}

/**
 * Returns the descendant that failed first among those without a failed child, because later failures are usually consequences. Returns
 * `run` if no descendant has failed.
 */
function findFailed(run: ExecutionRecord, parts: readonly ExecutionRecord[]): ExecutionRecord {
	const failed = parts.filter(({ status }) => isFailure(status));
	const parents = new Set(failed.map(({ parent }) => parent));
	const leaves = failed.filter(({ id }) => !parents.has(id));
	const endOf = ({ end_timestamp }: ExecutionRecord) => end_timestamp ?? "9";
	return leaves.sort((a, b) => (endOf(a) < endOf(b) ? -1 : 1))[0] ?? run;
}
