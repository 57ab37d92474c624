import { type ExecutionRecord, escapeControlCharacters, type TraceNode } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago, Duration } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/why.ts";
import { Collapsible } from "./collapsible.tsx";
import type { ShownTrace } from "./shown-trace.ts";

interface ExecutionItemProps {
	readonly node: TraceNode;
	/** Undefined if the user may not see the execution. */
	readonly run: ExecutionRecord | undefined;
	readonly shown: ShownTrace;
	readonly depth: number;
}

/** Shows an execution: its status, its effects, and its cause if the trace does not contain it. */
export function ExecutionItem({ node, run, shown, depth }: ExecutionItemProps) {
	const below = shown.branches.get(node.key) ?? [];
	const head = (
		<>
			<span class="why-kind">{common.execution}</span>
			{run !== undefined && <StatusBadge status={run.status} />}
			<a href={toExecutionHref(node.object_id)} aria-current={node.object_id === shown.chosen ? "true" : undefined}>
				{escapeControlCharacters(node.ref)}
			</a>
			{run !== undefined && <Cause run={run} isFirst={node.cause === undefined} />}
			<span class="faint">
				<Ago at={node.updated_at} />
				{run !== undefined && (
					<>
						{texts.took}
						<Duration from={run.start_timestamp} to={run.end_timestamp} />
					</>
				)}
			</span>
		</>
	);
	if (below.length === 0) return <div class="why-head">{head}</div>;
	const isOpen = depth < shown.openTo || shown.path.has(node.key);
	return (
		<Collapsible head={head} label={texts.effectsOf(node.object_id, below.length)} isOpen={isOpen}>
			{() => shown.below(node.key, depth + 1)}
		</Collapsible>
	);
}

/**
 * Shows the name of the workflow task that the execution belongs to. Otherwise shows the user who started it and the execution that it
 * repeats.
 */
function Cause({ run: { context }, isFirst }: { readonly run: ExecutionRecord; readonly isFirst: boolean }) {
	const { workflow, user } = context;
	const task = toMember(workflow, "task_name");
	const again = toMember(context["re-run"], "ref");
	if (task !== undefined) return <span>{texts.ofTask(escapeControlCharacters(task))}</span>;
	if (!isFirst) return null;
	return (
		<span>
			{texts.startedBy(typeof user === "string" ? escapeControlCharacters(user) : undefined)}
			{again !== undefined && (
				<>
					{texts.repeats}
					<a href={toExecutionHref(again)}>{texts.executionNamed(escapeControlCharacters(again))}</a>
				</>
			)}
		</span>
	);
}

function toMember(value: unknown, name: string): string | undefined {
	const member = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
	return typeof member === "string" ? member : undefined;
}
