import type { ExecutionViewProps } from "../execution/execution-view.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
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
				if (runs.length === 0) return <Empty title="It has started nothing yet" />;
				return (
					<>
						<p class="faint" role="status">
							{runs.length === maxNested ? `The first ${maxNested.toLocaleString("en")} runs` : `${runs.length.toLocaleString("en")} runs`}
						</p>
						<TimeLine label="Time line" runs={runs} toName={toTaskName} toHref={({ id }) => toExecutionHref(id)} />
					</>
				);
			}}
		</Loaded>
	);
}
