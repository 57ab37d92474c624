import type { ExecutionViewProps } from "../execution/execution-view.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/timeline.ts";
import { maxNested, merge, useNestedExecutions } from "./nested-executions.ts";
import { TimeLine } from "./time-line.tsx";
import { toTaskName } from "./timed-execution.ts";

/** Shows when each of the child executions waited and ran. */
export function View({ run }: ExecutionViewProps) {
	const { listed, changes } = useNestedExecutions(run.id);
	return (
		<Loaded resource={listed}>
			{(found) => {
				const runs = merge(found, changes.value);
				if (runs.length === 0) return <Empty title={texts.none} step={texts.noneStep} />;
				return (
					<>
						<p class="faint" role="status">
							{texts.count(runs.length, runs.length === maxNested)}
						</p>
						<TimeLine label={common.timeline} runs={runs} toName={toTaskName} toHref={({ id }) => toExecutionHref(id)} />
					</>
				);
			}}
		</Loaded>
	);
}
