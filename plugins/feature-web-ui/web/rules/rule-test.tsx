import { useSignal } from "@preact/signals";
import type { JsonObject, ParameterDefinitions } from "../../../../core/contract/index.ts";
import {
	escapeControlCharacters,
	escapeControlCharactersInLines,
	type RuleRecord,
	type RuleTestRecord,
	type TriggerInstanceRecord,
} from "../../../_shipped/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { useResource } from "../kit/resource.ts";
import { addressBar } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/rules.ts";
import { FailedCriterion } from "./criteria.tsx";

const maxEvents = 20;
const payloadSchema: ParameterDefinitions = {
	payload: { type: "object", required: true, description: texts.payloadField },
};

/** Tests a rule with a stored event or with an event that the user enters. No execution is started. */
export function RuleTest({ rule }: { readonly rule: RuleRecord }) {
	const event = addressBar.query("event");
	const answer = useSignal<RuleTestRecord | undefined>(undefined);
	const trigger = rule.trigger.ref ?? rule.trigger.type;
	return (
		<div class="run-columns">
			<div>
				{session.may("trigger_instance_list") && <Events trigger={trigger} chosen={event} />}
				<section class="card">
					<h2>{texts.customEvent}</h2>
					<SchemaForm
						schema={payloadSchema}
						action={texts.test}
						onSubmit={async ({ payload }) => {
							answer.value = await client.rules.test({ rule: rule.ref, trigger_instance: { trigger, payload: payload as JsonObject } });
							if (event !== "") addressBar.change({ event: undefined });
						}}
					/>
				</section>
			</div>
			<section class="card" aria-live="polite">
				<h2>{texts.testResult}</h2>
				{event !== "" && <StoredTest key={event} rule={rule.ref} event={event} />}
				{event === "" && answer.value !== undefined && <Outcome outcome={answer.value} />}
				{event === "" && answer.value === undefined && <p class="faint">{texts.testStep}</p>}
			</section>
		</div>
	);
}

function StoredTest({ rule, event }: { readonly rule: string; readonly event: string }) {
	const outcome = useResource(() => client.rules.test({ rule, trigger_instance: event }), [rule, event]);
	return (
		<>
			<p>
				{texts.testedWith} <span class="mono">{escapeControlCharacters(event)}</span>:
			</p>
			<Loaded resource={outcome}>{(found) => <Outcome outcome={found} />}</Loaded>
		</>
	);
}

function Outcome({ outcome: { matched, parameters, reason, failed } }: { readonly outcome: RuleTestRecord }) {
	if (matched) {
		return (
			<>
				<p class="good-text">{texts.wouldAct}</p>
				<JsonTree value={parameters ?? {}} open={3} />
			</>
		);
	}
	return (
		<>
			<p class="bad-text">{texts.wouldNotAct}</p>
			{failed === undefined ? (
				<p>{escapeControlCharactersInLines(reason ?? "")}</p>
			) : (
				<p>
					<FailedCriterion failed={failed} />
				</p>
			)}
		</>
	);
}

function Events({ trigger, chosen }: { readonly trigger: string; readonly chosen: string }) {
	const query = { trigger, sort: "-timestamp", limit: session.toLimit(maxEvents), exclude_attributes: "payload" };
	const events = useResource(() => client.triggers.instances.list(query), [trigger]);
	return (
		<section class="card" aria-label={common.events}>
			<h2>{texts.latestEvents}</h2>
			<Loaded resource={events}>
				{({ items }) =>
					items.length === 0 ? (
						<Empty title={texts.noEvents} step={texts.noEventsStep} />
					) : (
						<DataTable<TriggerInstanceRecord>
							label={texts.latestEvents}
							columns={[
								{ title: common.time, cell: ({ occurrence_time }) => <Ago at={occurrence_time} /> },
								{ title: common.status, cell: ({ status }) => <StatusBadge status={status} /> },
								{
									title: texts.test,
									class: "wide",
									cell: ({ id }) => (
										<button type="button" aria-pressed={id === chosen} onClick={() => addressBar.change({ event: id })}>
											{texts.testWith(id)}
										</button>
									),
								},
							]}
							rows={items}
							toKey={({ id }) => id}
						/>
					)
				}
			</Loaded>
		</section>
	);
}
