import { escapeControlCharacters, type SingleWorkerRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useRepeated, useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/nodes.ts";
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
			<Fact name={common.state}>
				<StatusBadge status={state} />
			</Fact>
			<Fact name={texts.labels}>{labels.join(", ")}</Fact>
			<Fact name={texts.runnerTypes}>{escapeControlCharacters(runners.join(", "))}</Fact>
			<Fact name={texts.running}>{texts.runningOf(running, places)}</Fact>
			<Fact name={texts.keyOf}>{escapeControlCharacters(user)}</Fact>
			<Fact name={common.started}>
				<Ago at={started_at} />
			</Fact>
			<Fact name={texts.lastSeen}>
				<Ago at={seen_at} />
			</Fact>
			<Fact name={texts.host}>{escapeControlCharacters(hostname)}</Fact>
			<Fact name={texts.process}>{pid}</Fact>
			<Fact name={common.version}>{escapeControlCharacters(version)}</Fact>
		</dl>
	);
}
