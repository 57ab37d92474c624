import {
	escapeControlCharacters,
	escapeControlCharactersInLines,
	type RuleEnforcementRecord,
	type RuleRecord,
	type TraceNode,
	type TriggerInstanceRecord,
	type WebhookDeliveryRecord,
} from "../../../_shipped/client.ts";
import { toEventHref } from "../events/event-list.tsx";
import { useRepeated, useResource } from "../kit/resource.ts";
import { toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Ago } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/why.ts";
import { Collapsible } from "./collapsible.tsx";
import { OtherRules, RuleItem } from "./rule-items.tsx";
import type { ShownTrace } from "./shown-trace.ts";

interface EventItemProps {
	readonly node: TraceNode;
	readonly shown: ShownTrace;
	readonly depth: number;
}

/** Details of an event that are not part of the trace, as far as the user may see them. */
interface EventDetails {
	/** Delivery that created the event, if the webhook records its deliveries. */
	readonly delivery: WebhookDeliveryRecord | undefined;
	readonly event: TriggerInstanceRecord | undefined;
	/** Current rules of the trigger. Undefined if the user may not list rules. */
	readonly rules: readonly RuleRecord[] | undefined;
	/** Number of rules of the trigger beyond those in `rules`. */
	readonly unread: number;
	readonly enforcements: readonly RuleEnforcementRecord[];
}

const webhookType = "core.svc.webhook";
const maxRules = 100;
const every = 1_500;

/** Shows an event, the rules of its trigger that acted on it, and why the others did not. */
export function EventItem({ node, shown, depth }: EventItemProps) {
	const head = (
		<>
			<span class="why-kind">{common.event}</span>
			<a href={toEventHref(node.object_id)} aria-current={node.object_id === shown.chosen ? "true" : undefined}>
				{escapeControlCharacters(node.title ?? node.ref)}
			</a>
			<span class="faint">
				<Ago at={node.updated_at} />
			</span>
		</>
	);
	const isOpen = depth < shown.openTo || shown.path.has(node.key);
	return (
		<Collapsible head={head} label={texts.rulesOfEvent(node.object_id)} isOpen={isOpen}>
			{() => <Rules node={node} shown={shown} depth={depth} />}
		</Collapsible>
	);
}

function Rules({ node, shown, depth }: EventItemProps) {
	const acted = shown.branches.get(node.key) ?? [];
	const details = useResource((signal) => readDetails(node, signal), [node.object_id, acted.length]);
	const { value: found } = details.value;
	const isOpen = found?.event?.status === "pending" || found?.event?.status === "processing";
	// Poll until the event is processed: if no rule acts on it, no event announces that.
	useRepeated(details, isOpen ? every : undefined);
	const ids = new Set(acted.map(({ object_id }) => object_id));
	return (
		<>
			{found?.delivery !== undefined && <Delivery delivery={found.delivery} />}
			{found?.event !== undefined && <State event={found.event} />}
			<ul class="why-list">
				{acted.map((rule) => (
					<li key={rule.key}>
						<RuleItem
							node={rule}
							rule={found?.rules?.find(({ id }) => id === rule.object_id)}
							enforcement={found?.enforcements.find(({ rule: { id } }) => id === rule.object_id)}
							payload={found?.event?.payload}
							shown={shown}
							depth={depth + 1}
						/>
					</li>
				))}
			</ul>
			<Loaded resource={details}>
				{({ rules, unread }) =>
					rules !== undefined && (
						<OtherRules event={node.object_id} rules={rules.filter(({ id }) => !ids.has(id))} hasActed={ids.size > 0} unread={unread} />
					)
				}
			</Loaded>
		</>
	);
}

function State({ event: { status, trigger_type, failure_reason } }: { readonly event: TriggerInstanceRecord }) {
	return (
		<p class="why-note">
			<StatusBadge status={status} /> <span class="faint">{texts.ofType(escapeControlCharacters(trigger_type))}</span>
			{failure_reason !== undefined && <span class="bad-text"> {escapeControlCharactersInLines(failure_reason)}</span>}
		</p>
	);
}

function Delivery({ delivery: { url, received_at, verdict, user } }: { readonly delivery: WebhookDeliveryRecord }) {
	return (
		<p class="why-note">
			{texts.deliveredTo} <a href={toHref("/events/deliveries", { url })}>{escapeControlCharacters(url)}</a>
			{texts.deliveredBy(escapeControlCharacters(user))}
			<Ago at={received_at} />
			{texts.verdict(verdict)}
		</p>
	);
}

async function readDetails({ object_id: id, ref: trigger }: TraceNode, signal: AbortSignal): Promise<EventDetails> {
	signal.throwIfAborted();
	const limit = session.toLimit(maxRules);
	const [event, rules, enforcements] = await Promise.all([
		session.may("trigger_instance_view") ? client.triggers.instances.get(id) : undefined,
		session.may("rule_list") ? client.rules.list({ trigger, limit }) : undefined,
		session.may("rule_enforcement_list") ? client.rules.enforcements({ trigger_instance: id, limit }) : undefined,
	]);
	const isDelivered = event?.trigger_type === webhookType && session.may("webhook_list");
	const deliveries = isDelivered ? await client.webhooks.deliveries({ trigger_instance: id, limit: 1 }) : undefined;
	return {
		delivery: deliveries?.items[0],
		event,
		rules: rules?.items,
		unread: Math.max(0, (rules?.total ?? 0) - limit),
		enforcements: enforcements?.items ?? [],
	};
}
