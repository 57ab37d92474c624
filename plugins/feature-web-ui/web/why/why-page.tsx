import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { escapeControlCharacters, type TraceNode } from "../../../_shipped/client.ts";
import { readExecutions } from "../executions/read-executions.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar } from "../kit/router.ts";
import { Empty } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/why.ts";
import { EventItem } from "./event-item.tsx";
import { ExecutionItem } from "./execution-item.tsx";
import { readTrace, type TraceChoice, type TraceTree, tellsOfTrace } from "./read-trace.ts";
import type { ShownTrace } from "./shown-trace.ts";

/** Number of components up to which a trace is fully expanded at first; a larger one is expanded to a depth of 2. */
const maxOpen = 60;

/** Shows a trace from causes to effects: events, rules that acted or did not, executions, and the effects of their completion. */
export function Page({ values: { trace = "" } }: PageProps) {
	const [execution, event] = [addressBar.query("execution"), addressBar.query("event")];
	if (trace === "" && execution === "" && event === "") {
		return (
			<>
				<div class="page-head">
					<h1>{common.why}</h1>
				</div>
				<Empty title={texts.question} step={texts.questionStep} />
			</>
		);
	}
	return <ChosenTrace trace={trace} execution={execution} event={event} />;
}

function ChosenTrace({ trace, execution, event }: TraceChoice) {
	const last = useRef<TraceTree | undefined>(undefined);
	const tree = useResource(
		async () => {
			last.current = await readTrace({ trace, execution, event });
			return last.current;
		},
		[trace, execution, event],
		{ isTouched: (told) => tellsOfTrace(told, last.current) },
	);
	return (
		<Loaded resource={tree} title={common.why}>
			{(found) => <Trace tree={found} chosen={execution || event} />}
		</Loaded>
	);
}

function Trace({ tree, chosen }: { readonly tree: TraceTree; readonly chosen: string }) {
	const { trace, branches, path, ids } = tree;
	const shown: ShownTrace = {
		branches,
		path,
		chosen,
		openTo: ids.size <= maxOpen ? Number.POSITIVE_INFINITY : 2,
		below: (key, depth) => <Branch nodes={branches.get(key) ?? []} shown={shown} depth={depth} />,
	};
	return (
		<>
			<div class="page-head">
				<h1>{common.why}</h1>
			</div>
			<dl class="facts">
				<Fact name={texts.trace}>{escapeControlCharacters(trace.trace_tag)}</Fact>
				<Fact name={common.started}>
					<Ago at={trace.start_timestamp} />
				</Fact>
				<Fact name={common.events}>{trace.trigger_instances.length}</Fact>
				<Fact name={texts.rulesThatActed}>{trace.rules.length}</Fact>
				<Fact name={common.executions}>{trace.action_executions.length}</Fact>
				<Fact name={common.id}>
					<span class="mono">{trace.id}</span>
				</Fact>
			</dl>
			<section class="why" aria-label={texts.tree}>
				<Branch nodes={branches.get(undefined) ?? []} shown={shown} depth={0} />
			</section>
		</>
	);
}

interface BranchProps {
	readonly nodes: readonly TraceNode[];
	readonly shown: ShownTrace;
	readonly depth: number;
}

/** Components of a branch that are rendered at first, and each time the user requests more. */
const stepSize = 50;
const attributes = "id,status,start_timestamp,end_timestamp,action.ref,context";

/** Shows the components with the same cause in chronological order, each with its effects. */
function Branch({ nodes, shown, depth }: BranchProps) {
	const most = useSignal(stepSize);
	const drawn = nodes.filter(({ key }, index) => index < most.value || shown.path.has(key));
	const ids = drawn.filter(({ kind }) => kind === "execution").map(({ object_id }) => object_id);
	const runs = useResource((signal) => readExecutions(ids, attributes, signal), [ids.join()], {
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
						<ExecutionItem node={node} run={runs.value.value?.get(node.object_id)} shown={shown} depth={depth} />
					) : (
						<>
							<p class="why-head">{texts.ruleActed(escapeControlCharacters(node.ref))}</p>
							{shown.below(node.key, depth + 1)}
						</>
					)}
				</li>
			))}
			{nodes.length > drawn.length && (
				<li>
					<button type="button" class="quiet" onClick={() => (most.value += stepSize)}>
						{common.more(nodes.length - drawn.length)}
					</button>
				</li>
			)}
		</ul>
	);
}

function isOneOf(data: unknown, ids: readonly string[]): boolean {
	return typeof data === "object" && data !== null && "id" in data && typeof data.id === "string" && ids.includes(data.id);
}
