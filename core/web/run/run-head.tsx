import type { ExecutionRecord } from "../../features/clients.ts";
import { toHref } from "../kit/address.ts";
import type { Resource } from "../kit/resource.ts";
import { session } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago, Duration } from "../parts/time.tsx";
import { toRunHref } from "../runs/run-address.ts";
import { RunActions } from "./run-actions.tsx";

/** What of an execution is seen first: how it stands, who has started it and why, how long it has taken. */
export function RunHead({ run, resource }: { readonly run: ExecutionRecord; readonly resource: Resource<ExecutionRecord> }) {
	const { user } = run.context;
	return (
		<>
			<div class="page-head">
				<h1>{run.action.ref}</h1>
				{session.may("trace_list") && <a href={toHref("/why", { execution: run.id })}>Why</a>}
				<RunActions run={run} resource={resource} />
			</div>
			<dl class="facts">
				<Fact name="Status">
					<span role="status">
						<StatusBadge status={run.status} />
					</span>
				</Fact>
				<Fact name="Started">
					<Ago at={run.start_timestamp} />
				</Fact>
				<Fact name={run.end_timestamp === undefined ? "Running for" : "Took"}>
					<Duration from={run.start_timestamp} to={run.end_timestamp} />
				</Fact>
				<Fact name="By">{typeof user === "string" ? user : "–"}</Fact>
				{run.rule?.ref !== undefined && <Fact name="Rule">{run.rule.ref}</Fact>}
				{run.trigger_type?.ref !== undefined && <Fact name="Trigger">{run.trigger_type.ref}</Fact>}
				{run.parent !== undefined && (
					<Fact name="Part of">
						<a href={toRunHref(run.parent)}>{run.parent}</a>
					</Fact>
				)}
				<Fact name="Runner">{run.runner.name}</Fact>
				<Fact name="Id">
					<span class="mono">{run.id}</span>
				</Fact>
			</dl>
		</>
	);
}
