import { useCallback } from "preact/hooks";
import { type ExecutionRecord, escapeControlCharacters, type StreamEventRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import type { PageProps } from "../kit/page.ts";
import { type Resource, useResource } from "../kit/resource.ts";
import { toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { Lazy } from "../parts/lazy.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { Ago, Duration } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution.ts";
import { ExecutionActions } from "./execution-actions.tsx";
import { maxResultSize } from "./execution-result.tsx";
import type { ExecutionViewDefinition } from "./execution-view.ts";
import { executionViews } from "./execution-views.ts";

/** Shows one execution in several views. */
export function Page({ values: { id = "", view = "general" } }: PageProps) {
	const resource = useResource((signal) => client.executions.get(id, { query: { max_result_size: maxResultSize }, signal }), [id], {
		isTouched: (event) => isAbout(event, id),
	});
	return (
		<Loaded resource={resource} title={common.execution}>
			{(run) => <Execution key={run.id} run={run} resource={resource} view={view} />}
		</Loaded>
	);
}

interface ExecutionProps {
	readonly run: ExecutionRecord;
	readonly resource: Resource<ExecutionRecord>;
	readonly view: string;
}

function Execution({ run, resource, view }: ExecutionProps) {
	const offered = executionViews.filter(({ isOffered }) => isOffered?.(run) ?? true);
	const current = offered.find(({ name }) => name === view) ?? offered[0];
	const tabs = offered.map(({ name, title, count }) => ({ name, title, count: count?.(run), href: toExecutionHref(run.id, name) }));
	return (
		<>
			<ExecutionHead run={run} resource={resource} />
			<Tabs label={texts.tabs} tabs={tabs} current={current?.name ?? ""} />
			{current !== undefined && <View key={current.name} view={current} run={run} resource={resource} />}
		</>
	);
}

function View({ view, ...props }: Omit<ExecutionProps, "view"> & { readonly view: ExecutionViewDefinition }) {
	const load = useCallback(async () => (await view.load()).View, [view]);
	return <Lazy load={load} props={props} />;
}

/**
 * Returns true if an event changes the record of the execution: an event of the execution itself, or the creation of a child. Later events
 * of children change only the records of the children.
 */
function isAbout({ name, data }: StreamEventRecord, id: string): boolean {
	if (!name.startsWith("svc.execution__") || typeof data !== "object" || data === null) return false;
	return ("id" in data && data["id"] === id) || (name === "svc.execution__create" && "parent" in data && data["parent"] === id);
}

/** Shows the head of an execution's page: its status, who or what started it, and its duration. */
export function ExecutionHead({ run, resource }: { readonly run: ExecutionRecord; readonly resource: Resource<ExecutionRecord> }) {
	const { user } = run.context;
	const trigger = run.trigger?.title ?? run.trigger_type?.ref;
	return (
		<>
			<div class="page-head">
				<h1>{run.action.ref}</h1>
				{session.may("trace_list") && <a href={toHref("/why", { execution: run.id })}>{common.why}</a>}
				<ExecutionActions run={run} resource={resource} />
			</div>
			<dl class="facts">
				<Fact name={common.status}>
					<span role="status">
						<StatusBadge status={run.status} />
					</span>
				</Fact>
				<Fact name={common.started}>
					<Ago at={run.start_timestamp} />
				</Fact>
				<Fact name={run.end_timestamp === undefined ? texts.runningFor : common.duration}>
					<Duration from={run.start_timestamp} to={run.end_timestamp} />
				</Fact>
				<Fact name={common.startedBy}>{typeof user === "string" ? user : "–"}</Fact>
				{run.rule?.ref !== undefined && <Fact name={common.rule}>{run.rule.ref}</Fact>}
				{trigger !== undefined && <Fact name={common.trigger}>{escapeControlCharacters(trigger)}</Fact>}
				{run.parent !== undefined && (
					<Fact name={texts.parent}>
						<a href={toExecutionHref(run.parent)}>{run.parent}</a>
					</Fact>
				)}
				<Fact name={common.runner}>{run.runner.name}</Fact>
				<Fact name={common.id}>
					<span class="mono">{run.id}</span>
				</Fact>
			</dl>
		</>
	);
}
