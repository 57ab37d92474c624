import { escapeControlCharacters, type TriggerTypeRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RecordHead } from "../parts/record-head.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/events.ts";

/** Maximum number of rules that are listed. */
const maxRules = 100;

/** Shows one trigger type: its parameters and payload, the sources of its events, and the rules that use it. */
export function Page({ values: { ref = "" } }: PageProps) {
	const type = useResource(() => client.triggers.types.get(ref), [ref]);
	return (
		<Loaded resource={type} title={ref}>
			{(found) => <TriggerType type={found} />}
		</Loaded>
	);
}

function TriggerType({ type }: { readonly type: TriggerTypeRecord }) {
	const { ref, pack, parameters_schema, payload_schema } = type;
	return (
		<>
			<RecordHead record={type}>
				<Fact name={common.pack}>
					<a href={toHref("/events/triggers", { pack })}>{escapeControlCharacters(pack)}</a>
				</Fact>
				{session.may("trigger_instance_list") && (
					<Fact name={common.events}>
						<a href={toHref("/events/latest", { trigger_type: ref })}>{texts.eventsOfType}</a>
					</Fact>
				)}
			</RecordHead>
			<div class="run-columns">
				<section class="card">
					<h2>{common.parameters}</h2>
					{Object.keys(parameters_schema).length === 0 ? (
						<p class="faint">{texts.noSchema}</p>
					) : (
						<JsonTree value={parameters_schema} open={4} />
					)}
				</section>
				<section class="card">
					<h2>{texts.payload}</h2>
					{Object.keys(payload_schema).length === 0 ? <p class="faint">{texts.noSchema}</p> : <JsonTree value={payload_schema} open={4} />}
				</section>
			</div>
			{session.may("rule_list") && <Rules type={ref} />}
			{session.may("sensor_type_list") && <Sensors type={ref} />}
		</>
	);
}

function Rules({ type }: { readonly type: string }) {
	const rules = useResource(
		() => client.rules.list({ trigger: type, include_attributes: "ref,enabled", limit: session.toLimit(maxRules) }),
		[type],
	);
	return (
		<section class="card">
			<div class="start-head">
				<h2>{texts.rulesOfType}</h2>
				<a href={toHref("/rules", { trigger: type })} aria-label={common.allOf(texts.rulesOfType)}>
					{common.all}
				</a>
			</div>
			<Loaded resource={rules}>
				{({ items }) =>
					items.length === 0 ? (
						<p class="faint">{texts.noRuleOfType}</p>
					) : (
						<ul class="held">
							{items.map(({ ref }) => (
								<li key={ref}>
									<a href={toHref(toPath("/rules/:ref", { ref }))}>{escapeControlCharacters(ref)}</a>
								</li>
							))}
						</ul>
					)
				}
			</Loaded>
		</section>
	);
}

function Sensors({ type }: { readonly type: string }) {
	const sensors = useResource(() => client.sensors.list({ trigger: type }), [type]);
	return (
		<Loaded resource={sensors}>
			{({ items }) =>
				items.length > 0 && (
					<section class="card">
						<h2>{texts.sensorsOfType}</h2>
						<ul class="held">
							{items.map(({ ref }) => (
								<li key={ref}>
									<a href={toHref("/events/sensors")}>{escapeControlCharacters(ref)}</a>
								</li>
							))}
						</ul>
					</section>
				)
			}
		</Loaded>
	);
}
