import type { JsonObject, RuleSnapshotEntity, TriggerEntity } from "../../contract/index.ts";
import { cacheJsonText } from "../../http/json-cache.ts";
import type { RecordVisibility } from "../../http/record-visibility.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { ExecutionView } from "../../kernel/executions/executions-api.ts";
import { maskParametersWith } from "../../secrets/parameter-masking.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { toTrigger, toTriggerType } from "../triggers/trigger-records-exports.ts";
import { maskTrigger } from "../triggers/trigger-secrets-exports.ts";
import { toTriggerTitle } from "../triggers/trigger-titles-exports.ts";
import { toRuleRecord } from "./rule-record-exports.ts";

/** Rule and trigger instance that started an execution, limited to the parts that the caller may view. */
export interface ShownCause {
	readonly snapshot: RuleSnapshotEntity | undefined;
	/** Trigger instance as the API returns it; undefined once it has been deleted. */
	readonly instance: WireRecord | undefined;
	/** Parts that are shown in full; the others are shown by name only. */
	readonly visible: { readonly rule: boolean; readonly trigger: boolean; readonly trigger_type: boolean };
}

/** Members of an execution record that describe the rule that started it. */
export interface EmbeddedCause {
	readonly rule: WireRecord | null;
	readonly trigger: WireRecord | null;
	readonly trigger_type: WireRecord | null;
	readonly trigger_instance: WireRecord | null;
}

interface WireTrigger {
	readonly entity: TriggerEntity | null;
	readonly trigger: WireRecord | null;
	readonly trigger_type: WireRecord | null;
}

/** API records of each snapshot. Cached because many executions show the same snapshot. */
const wireTriggers = new WeakMap<RuleSnapshotEntity, { readonly open: WireTrigger; readonly masked: WireTrigger }>();

/**
 * Returns the members that describe what started an execution. Parts that are not stored any more, or that the caller may not view,
 * contain only names and ids.
 */
export function toEmbeddedCause(
	view: ExecutionView,
	cause: ShownCause | undefined,
	{ masked }: Pick<RecordVisibility, "masked">,
): EmbeddedCause {
	const { snapshot, instance, visible } = cause ?? {};
	const secrets = masked ? view.secrets : Redactor.none;
	const hide = (record: WireRecord, refresh = (hidden: WireRecord) => hidden) => {
		const hidden: WireRecord = secrets.redactJson(record as JsonObject);
		// The same record has a cached JSON text.
		return hidden === record ? record : refresh(hidden);
	};
	if (snapshot === undefined) return { ...toNamedCause(view), ...(instance && { trigger_instance: toShownInstance(instance, secrets) }) };
	const wire = toWireTrigger(snapshot)[masked ? "masked" : "open"];
	// If the secrets are unknown, redaction would mask the whole record. So show only names and ids, without redaction.
	const isWhole = (part: "rule" | "trigger" | "trigger_type") => visible?.[part] === true && !secrets.isUnknown;
	return {
		rule: isWhole("rule") ? hide(toRule(view, snapshot, { wire, secrets, masked }), withTriggerTitle) : toNames(snapshot.rule),
		trigger: wire.trigger && (isWhole("trigger") ? hide(wire.trigger, withTitle) : toNames(wire.trigger)),
		trigger_type: wire.trigger_type && (isWhole("trigger_type") ? hide(wire.trigger_type) : toNames(wire.trigger_type)),
		trigger_instance: instance === undefined ? toRemovedInstance(view, snapshot) : toShownInstance(instance, secrets),
	};
}

/** Returns the rule with masked values for the parameters that the action of the execution's snapshot declares as secret. */
function toRule(
	{ snapshot: action }: ExecutionView,
	{ rule }: RuleSnapshotEntity,
	{ wire, secrets, masked }: { readonly wire: WireTrigger; readonly secrets: Redactor; readonly masked: boolean },
): WireRecord {
	const parameters = masked ? maskParametersWith(rule.action_parameters, action, secrets) : rule.action_parameters;
	return toRuleRecord({ ...rule, action_parameters: parameters }, wire.entity ?? undefined);
}

/** Returns the names and the id stored in the execution itself. Executions stored by an earlier version have nothing else. */
function toNamedCause({ entity }: ExecutionView): EmbeddedCause {
	return {
		rule: toNamed(entity.rule_name),
		trigger: toNamed(entity.trigger_name),
		trigger_type: toNamed(entity.trigger_type_name),
		trigger_instance: typeof entity.trigger_instance_id === "string" ? { id: entity.trigger_instance_id } : null,
	};
}

function toNamed(name: string | null): WireRecord | null {
	return typeof name === "string" ? { name } : null;
}

function toNames(record: WireRecord | RuleSnapshotEntity["rule"]): WireRecord {
	const { id, ref, name, pack } = record as WireRecord;
	return { id, ref, name, pack };
}

/** Masks the execution's secrets in the payload. A value that is visible in the event may be a secret parameter of the execution. */
function toShownInstance(instance: WireRecord, secrets: Redactor): WireRecord {
	const { payload } = instance;
	return payload === undefined ? instance : { ...instance, payload: secrets.redactJson(payload as JsonObject) };
}

function toRemovedInstance({ entity }: ExecutionView, { trigger, rule }: RuleSnapshotEntity): WireRecord {
	return { id: entity.trigger_instance_id, trigger: trigger?.ref ?? rule.trigger, trigger_type: rule.trigger_type };
}

function toWireTrigger(snapshot: RuleSnapshotEntity) {
	let wire = wireTriggers.get(snapshot);
	if (wire === undefined) {
		const { trigger, trigger_type: type } = snapshot;
		const show = (entity: TriggerEntity | null): WireTrigger => ({
			entity,
			trigger: entity && cacheJsonText(toTrigger(entity)),
			trigger_type: type && cacheJsonText(toTriggerType(type)),
		});
		wire = { open: show(trigger), masked: show(trigger && maskTrigger(trigger, type?.parameters_schema)) };
		wireTriggers.set(snapshot, wire);
	}
	return wire;
}

/**
 * Returns a trigger with a title that is made from its masked parameters. A title that was shortened before the masking may end within a
 * secret, which the masking then does not find.
 */
function withTitle(trigger: WireRecord): WireRecord {
	return { ...trigger, title: toTriggerTitle(trigger as unknown as TriggerEntity) };
}

function withTriggerTitle(rule: WireRecord): WireRecord {
	const { trigger } = rule as { readonly trigger: WireRecord };
	// A trigger without a ref has been deleted, and its title contains no parameters.
	return "ref" in trigger ? { ...rule, trigger: withTitle(trigger) } : rule;
}
