import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import { RunTable } from "../runs/run-table.tsx";
import type { RunViewProps } from "./run-view.ts";

/** Maximum number of children in the table, because a run may have 100,000. */
const mostChildren = 1_000;

const pageSize = 100;

/** Shows the child executions and when each of them ran. */
export function View({ run }: RunViewProps) {
	const query = { depth: 1, limit: mostChildren, pageSize: session.toLimit(pageSize) };
	const children = useResource((signal) => client.executions.children(run.id, query, { signal }), [run.id], {
		isTouched: ({ data }) => typeof data === "object" && data !== null && "parent" in data && data["parent"] === run.id,
	});
	return <Loaded resource={children}>{(runs) => <RunTable label="Children" runs={runs} />}</Loaded>;
}
