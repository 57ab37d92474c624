import { escapeControlCharacters, escapeControlCharactersInLines, type TriggerInstanceRecord } from "../../../_shipped/client.ts";
import { attempt } from "../kit/notices.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/events.ts";

/** Shows one event: its payload, and the rules that can be tested with it. */
export function Page({ values: { id = "" } }: PageProps) {
	const event = useResource(() => client.triggers.instances.get(id), [id]);
	return (
		<Loaded resource={event} title={common.event}>
			{(found) => (
				<>
					<Head event={found} />
					<div class="run-columns">
						<section class="card">
							<h2>{texts.payload}</h2>
							{found.payload === undefined ? <p class="faint">{texts.mayNotViewPayload}</p> : <JsonTree value={found.payload} />}
						</section>
						{session.may("rule_list") && <Rules event={found} />}
					</div>
				</>
			)}
		</Loaded>
	);
}

function Head({ event }: { readonly event: TriggerInstanceRecord }) {
	const { id, trigger, trigger_title, trigger_type, status, occurrence_time, failure_reason, trace_id } = event;
	const reEmit = () =>
		attempt(async () => {
			const { id: again } = await client.triggers.instances.reEmit(id);
			addressBar.go(toPath("/events/latest/:id", { id: again }));
		}, texts.emitted);
	return (
		<>
			<div class="page-head">
				<h1>{escapeControlCharacters(trigger_title ?? trigger)}</h1>
				{session.may("trace_view") && <a href={toHref(toPath("/why/:trace", { trace: trace_id }), { event: id })}>{texts.effects}</a>}
				{session.may("trigger_instance_reemit") && (
					<button type="button" onClick={() => void reEmit()}>
						{texts.emitAgain}
					</button>
				)}
			</div>
			{failure_reason !== undefined && <p class="bad-text">{escapeControlCharactersInLines(failure_reason)}</p>}
			<dl class="facts">
				<Fact name={common.status}>
					<StatusBadge status={status} />
				</Fact>
				<Fact name={common.time}>
					<Ago at={occurrence_time} />
				</Fact>
				<Fact name={common.type}>{escapeControlCharacters(trigger_type)}</Fact>
				<Fact name={common.trigger}>
					<span class="mono">{escapeControlCharacters(trigger)}</span>
				</Fact>
				<Fact name={common.id}>
					<span class="mono">{id}</span>
				</Fact>
			</dl>
		</>
	);
}

/** Lists the rules of the event's trigger, each with a link to test it with this event. */
function Rules({ event: { id, trigger } }: { readonly event: TriggerInstanceRecord }) {
	const rules = useResource(() => client.rules.list({ trigger, include_attributes: "ref,enabled" }), [trigger]);
	return (
		<section class="card">
			<h2>{texts.rulesOfTrigger}</h2>
			<Loaded resource={rules}>
				{({ items }) =>
					items.length === 0 ? (
						<p class="faint">{texts.noRuleOfTrigger}</p>
					) : (
						<ul class="criteria">
							{items.map(({ ref }) => (
								<li key={ref}>
									<a href={toHref(toPath("/rules/:ref", { ref }), { view: "test", event: id })}>
										{texts.testRule(escapeControlCharacters(ref))}
									</a>
								</li>
							))}
						</ul>
					)
				}
			</Loaded>
		</section>
	);
}
