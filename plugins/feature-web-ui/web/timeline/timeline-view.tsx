import { Empty } from "../parts/empty.tsx";
import { Loaded } from "../parts/loaded.tsx";
import type { RunViewProps } from "../run/run-view.ts";
import { toRunHref } from "../runs/run-address.ts";
import { merge, mostNested, useNestedRuns } from "./nested-runs.ts";
import { TimeLine } from "./time-line.tsx";
import { toTaskName } from "./timed-run.ts";

/** Shows when each of the child executions waited and ran. */
export function View({ run }: RunViewProps) {
	const { listed, changes } = useNestedRuns(run.id);
	return (
		<Loaded resource={listed}>
			{(found) => {
				const runs = merge(found, changes.value);
				if (runs.length === 0) return <Empty title="It has started nothing yet" />;
				return (
					<>
						<p class="faint" role="status">
							{runs.length === mostNested
								? `The first ${mostNested.toLocaleString("en")} runs`
								: `${runs.length.toLocaleString("en")} runs`}
						</p>
						<TimeLine label="Time line" runs={runs} toName={toTaskName} toHref={({ id }) => toRunHref(id)} />
					</>
				);
			}}
		</Loaded>
	);
}
