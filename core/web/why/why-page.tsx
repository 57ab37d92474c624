import { useRef } from "preact/hooks";
import { escapeControlCharacters } from "../../contract/control-characters.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar } from "../kit/router.ts";
import { Empty } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Ago } from "../parts/time.tsx";
import { readTrace, type TraceChoice, type TraceTree, tellsOfTrace } from "./read-trace.ts";
import type { ShownTrace } from "./shown-trace.ts";
import { Branch } from "./trace-branch.tsx";

/** Number of components up to which a trace is fully expanded at first; a larger one is expanded to a depth of 2. */
const mostOpen = 60;

/** Shows a trace from causes to effects: events, rules that acted or did not, executions, and the effects of their completion. */
export function Page({ values: { trace = "" } }: PageProps) {
	const [execution, event] = [addressBar.query("execution"), addressBar.query("event")];
	if (trace === "" && execution === "" && event === "") {
		return (
			<>
				<div class="page-head">
					<h1>Why</h1>
				</div>
				<Empty title="Why did it happen?">
					<p>Open a run and choose Why, or an event and choose What came of it.</p>
				</Empty>
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
		<Loaded resource={tree} title="Why">
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
		openTo: ids.size <= mostOpen ? Number.POSITIVE_INFINITY : 2,
		below: (key, depth) => <Branch nodes={branches.get(key) ?? []} shown={shown} depth={depth} />,
	};
	return (
		<>
			<div class="page-head">
				<h1>Why</h1>
			</div>
			<dl class="facts">
				<Fact name="Trace">{escapeControlCharacters(trace.trace_tag)}</Fact>
				<Fact name="Began">
					<Ago at={trace.start_timestamp} />
				</Fact>
				<Fact name="Events">{trace.trigger_instances.length}</Fact>
				<Fact name="Rules that acted">{trace.rules.length}</Fact>
				<Fact name="Runs">{trace.action_executions.length}</Fact>
				<Fact name="Id">
					<span class="mono">{trace.id}</span>
				</Fact>
			</dl>
			<section class="why" aria-label="What led to what">
				<Branch nodes={branches.get(undefined) ?? []} shown={shown} depth={0} />
			</section>
		</>
	);
}
