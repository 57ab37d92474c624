import { useSignal } from "@preact/signals";
import type { JsonObject, JsonValue } from "../../../../core/contract/index.ts";
import {
	escapeControlCharacters,
	escapeControlCharactersInLines,
	type RuleEnforcementRecord,
	type RuleRecord,
	type TraceNode,
} from "../../../_shipped/client.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import { StatusBadge } from "../parts/status-badge.tsx";
import { Criteria, FailedCriterion, toShownValue } from "../rules/criteria.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/why.ts";
import { Collapsible } from "./collapsible.tsx";
import type { ShownTrace } from "./shown-trace.ts";

interface RuleItemProps {
	readonly node: TraceNode;
	/** Current version of the rule. Undefined if it was deleted or the user may not see it. */
	readonly rule: RuleRecord | undefined;
	readonly enforcement: RuleEnforcementRecord | undefined;
	readonly payload: JsonObject | undefined;
	readonly shown: ShownTrace;
	readonly depth: number;
}

/** Shows a rule that acted: its criteria, the values of the event, and the executions that it started. */
export function RuleItem({ node, rule, enforcement, payload, shown, depth }: RuleItemProps) {
	const head = (
		<>
			<span class="why-kind">{common.rule}</span>
			<RuleLink name={node.ref} />
			<span class="good-text">{texts.acted}</span>
			{enforcement !== undefined && <StatusBadge status={enforcement.status} />}
			{enforcement?.failure_reason !== undefined && (
				<span class="bad-text">{escapeControlCharactersInLines(enforcement.failure_reason)}</span>
			)}
		</>
	);
	return (
		<Collapsible
			head={head}
			label={texts.effectsOfRule(escapeControlCharacters(node.ref))}
			isOpen={depth < shown.openTo || shown.path.has(node.key)}
		>
			{() => (
				<>
					{rule !== undefined && <Met criteria={rule.criteria} payload={payload} />}
					{shown.below(node.key, depth + 1)}
				</>
			)}
		</Collapsible>
	);
}

/** Shows the criteria of the current version of a rule, each with the value of the event. */
function Met({ criteria, payload }: { readonly criteria: JsonObject; readonly payload: JsonObject | undefined }) {
	const values = Object.keys(criteria).flatMap((key) => {
		const value = payload === undefined ? undefined : toValue(key, payload);
		return value === undefined ? [] : [[key, value] as const];
	});
	return (
		<div class="why-note">
			<Criteria criteria={criteria} />
			{values.map(([key, value]) => (
				<p key={key} class="faint">
					<code>{escapeControlCharacters(key)}</code>
					{texts.was}
					<code>{toShownValue(value)}</code>
				</p>
			))}
		</div>
	);
}

/** Returns the value in the payload for a simple criterion key such as `trigger.body.size`. Returns undefined for other keys. */
function toValue(key: string, payload: JsonObject): JsonValue | undefined {
	// A rule can append `#` and a tag to a key, to test one attribute more than once.
	const [root, ...names] = (key.split("#")[0] ?? "").split(".");
	if (root !== "trigger") return undefined;
	let value: JsonValue | undefined = payload;
	for (const name of names) {
		if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
		value = (value as JsonObject)[name];
	}
	return value;
}

interface OtherRulesProps {
	readonly event: string;
	readonly rules: readonly RuleRecord[];
	readonly hasActed: boolean;
	/** Number of rules of the trigger that were not read because there are too many. */
	readonly unread: number;
}

/** Rules that are tested at a time; a button tests the next ones. */
const stepSize = 10;

/** Shows the rules of the trigger that did not act. */
export function OtherRules({ event, rules, hasActed, unread }: OtherRulesProps) {
	const most = useSignal(stepSize);
	if (rules.length === 0) return hasActed ? null : <p class="why-note faint">{texts.noRules}</p>;
	return (
		<>
			<p class="why-note faint">{texts.didNotAct}</p>
			<ul class="why-list">
				{rules.slice(0, most.value).map((rule) => (
					<li key={rule.id}>
						<div class="why-head">
							<span class="why-kind">{common.rule}</span>
							<RuleLink name={rule.ref} event={event} />
							<Verdict rule={rule} event={event} />
						</div>
					</li>
				))}
			</ul>
			{rules.length > most.value && (
				<button type="button" class="quiet" onClick={() => (most.value += stepSize)}>
					{texts.moreRules(rules.length - most.value)}
				</button>
			)}
			{unread > 0 && <p class="why-note faint">{texts.unreadRules(unread)}</p>}
		</>
	);
}

function Verdict({ rule: { ref, enabled, uid }, event }: { readonly rule: RuleRecord; readonly event: string }) {
	if (!enabled) return <span class="bad-text">{texts.isDisabled}</span>;
	return session.may("rule_view", uid) ? <TestedVerdict rule={ref} event={event} /> : null;
}

function TestedVerdict({ rule, event }: { readonly rule: string; readonly event: string }) {
	const outcome = useResource(() => client.rules.test({ rule, trigger_instance: event }), [rule, event]);
	return (
		<Loaded resource={outcome}>
			{({ matched, failed, reason }) => (
				<span>
					{matched ? texts.wouldActNow : <span class="bad-text">{texts.didNotMatch}</span>}
					{!matched && (failed === undefined ? escapeControlCharactersInLines(reason ?? "") : <FailedCriterion failed={failed} />)}
				</span>
			)}
		</Loaded>
	);
}

function RuleLink({ name, event }: { readonly name: string; readonly event?: string }) {
	return (
		<a href={toHref(toPath("/rules/:ref", { ref: name }), event === undefined ? {} : { view: "test", event })}>
			{escapeControlCharacters(name)}
		</a>
	);
}
