import { escapeControlCharacters, type SingleWorkerRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import { RunningExecutions } from "./running-executions.tsx";

const every = 5_000;

/** Shows one worker: the executions that it accepts and those that it runs. */
export function Page({ values: { id = "" } }: PageProps) {
	const resource = useRepeated(
		useResource((signal) => client.workers.get(id, { signal }), [id]),
		every,
	);
	return (
		<Loaded resource={resource} title={id}>
			{(worker) => (
				<>
					<div class="page-head">
						<h1>{escapeControlCharacters(worker.name)}</h1>
					</div>
					<WorkerFacts worker={worker} />
					<RunningExecutions executions={worker.executions} />
				</>
			)}
		</Loaded>
	);
}

function WorkerFacts({ worker }: { readonly worker: SingleWorkerRecord }) {
	const { state, labels, runners, running, places, user, started_at, seen_at, hostname, pid, version } = worker;
	return (
		<dl class="facts">
			<Fact name="State">
				<StatusBadge status={state} />
			</Fact>
			<Fact name="Labels">{labels.join(", ")}</Fact>
			<Fact name="Runner types">{escapeControlCharacters(runners.join(", "))}</Fact>
			<Fact name="Runs">{`${running} of ${places}`}</Fact>
			<Fact name="Key of">{escapeControlCharacters(user)}</Fact>
			<Fact name="Since">
				<Ago at={started_at} />
			</Fact>
			<Fact name="Last seen">
				<Ago at={seen_at} />
			</Fact>
			<Fact name="Host">{escapeControlCharacters(hostname)}</Fact>
			<Fact name="Process">{pid}</Fact>
			<Fact name="Version">{escapeControlCharacters(version)}</Fact>
		</dl>
	);
}
