import { escapeControlCharacters } from "../../../_shipped/client.ts";
import { DataTable } from "../parts/data-table.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Duration, toLocal } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/execution.ts";
import type { ExecutionViewProps } from "./execution-view.ts";

/** Shows the user who requested a state, the credential and the reason. */
function Actor({ by: { user, credential, reason } }: { readonly by: NonNullable<ExecutionViewProps["run"]["log"][number]["by"]> }) {
	return (
		<>
			{escapeControlCharacters(user)}
			{credential !== null && <span class="mono"> {escapeControlCharacters(credential)}</span>}
			{reason !== null && <div>{escapeControlCharacters(reason)}</div>}
		</>
	);
}

/** Shows every state of an execution with the time that it spent in it, and the context of the execution. */
export function View({ run }: ExecutionViewProps) {
	const rows = run.log.map((entry, index) => ({ ...entry, index, until: run.log[index + 1]?.timestamp ?? run.end_timestamp }));
	return (
		<div class="run-columns">
			<DataTable
				label={texts.statesTab}
				rows={rows}
				toKey={({ index }) => String(index)}
				columns={[
					{ title: common.state, cell: ({ status }) => <StatusBadge status={status} /> },
					{ title: texts.since, class: "number", cell: ({ timestamp }) => toLocal(timestamp) },
					{ title: texts.requestedBy, cell: ({ by }) => (by === undefined ? "" : <Actor by={by} />) },
					{ title: common.duration, class: "right", cell: ({ timestamp, until }) => <Duration from={timestamp} to={until} /> },
				]}
			/>
			<section class="card">
				<h2>{texts.context}</h2>
				<JsonTree value={run.context} open={3} />
			</section>
		</div>
	);
}
