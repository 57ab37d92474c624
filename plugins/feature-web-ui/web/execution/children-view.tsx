import { ExecutionTable } from "../executions/execution-table.tsx";
import { useResource } from "../kit/resource.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import * as texts from "../texts/execution.ts";
import type { ExecutionViewProps } from "./execution-view.ts";

/** Maximum number of children in the table, because a run may have 100,000. */
const maxChildren = 1_000;

const pageSize = 100;

/** Shows the child executions and when each of them ran. */
export function View({ run }: ExecutionViewProps) {
	const query = { depth: 1, limit: maxChildren, pageSize: session.toLimit(pageSize) };
	const children = useResource((signal) => client.executions.children(run.id, query, { signal }), [run.id], {
		isTouched: ({ data }) => typeof data === "object" && data !== null && "parent" in data && data["parent"] === run.id,
	});
	return <Loaded resource={children}>{(runs) => <ExecutionTable label={texts.childrenTab} runs={runs} />}</Loaded>;
}
