import { useSignal } from "@preact/signals";
import { escapeControlCharacters } from "../../contract/control-characters.ts";
import type { TraceNode } from "../../features/clients.ts";
import { useResource } from "../kit/resource.ts";
import { readRuns } from "../runs/read-runs.ts";
import { EventItem } from "./event-item.tsx";
import { RunItem } from "./run-item.tsx";
import type { ShownTrace } from "./shown-trace.ts";

interface BranchProps {
	readonly nodes: readonly TraceNode[];
	readonly shown: ShownTrace;
	readonly depth: number;
}

/** Components of a branch that are rendered at first, and each time the user requests more. */
const stepSize = 50;
const attributes = "id,status,start_timestamp,end_timestamp,action.ref,context";

/** Shows the components with the same cause in chronological order, each with its effects. */
export function Branch({ nodes, shown, depth }: BranchProps) {
	const most = useSignal(stepSize);
	const drawn = nodes.filter(({ key }, index) => index < most.value || shown.path.has(key));
	const ids = drawn.filter(({ kind }) => kind === "execution").map(({ object_id }) => object_id);
	const runs = useResource((signal) => readRuns(ids, attributes, signal), [ids.join()], {
		isTouched: ({ name, data }) => name.startsWith("svc.execution__") && isOneOf(data, ids),
	});
	if (nodes.length === 0) return null;
	return (
		<ul class="why-list">
			{drawn.map((node) => (
				<li key={node.key} class={node.object_id === shown.chosen ? "chosen" : undefined}>
					{node.kind === "trigger-instance" ? (
						<EventItem node={node} shown={shown} depth={depth} />
					) : node.kind === "execution" ? (
						<RunItem node={node} run={runs.value.value?.get(node.object_id)} shown={shown} depth={depth} />
					) : (
						<>
							<p class="why-head">Rule {escapeControlCharacters(node.ref)} acted</p>
							{shown.below(node.key, depth + 1)}
						</>
					)}
				</li>
			))}
			{nodes.length > drawn.length && (
				<li>
					<button type="button" class="quiet" onClick={() => (most.value += stepSize)}>
						{nodes.length - drawn.length} more
					</button>
				</li>
			)}
		</ul>
	);
}

function isOneOf(data: unknown, ids: readonly string[]): boolean {
	return typeof data === "object" && data !== null && "id" in data && typeof data.id === "string" && ids.includes(data.id);
}
