import { LogTail } from "../log/log-tail.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { isFailure } from "../parts/status-badge.tsx";
import { FailingTask } from "./failing-task.tsx";
import { RunResult } from "./run-result.tsx";
import type { RunViewProps } from "./run-view.ts";

/** What somebody wants to know first: of a failure, what has failed and what it said last; then what went in and what came out. */
export function View({ run }: RunViewProps) {
	return (
		<>
			{isFailure(run.status) ? <FailingTask run={run} /> : <LogTail run={run} title="Output" />}
			<div class="run-columns">
				<section class="card">
					<h2>Parameters</h2>
					<JsonTree value={run.parameters ?? {}} />
				</section>
				<section class="card">
					<h2>Result</h2>
					<RunResult run={run} />
				</section>
			</div>
		</>
	);
}
