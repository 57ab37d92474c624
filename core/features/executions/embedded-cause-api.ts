import type { JsonObject, RuleSnapshotEntity, TriggerEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { cacheJsonText } from "../../http/json-cache.ts";
import type { Presentation } from "../../http/secret-presentation.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { ExecutionView } from "../../kernel/executions/executions-api.ts";
import { maskMembers } from "../../language/parameters/schema-masking.ts";
import { maskParametersWith } from "../../secrets/parameter-masking.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { toTrigger, toTriggerType } from "../triggers/records-api.ts";
import { toRuleRecord } from "./rule-record-api.ts";

/** What a rule started an execution from, as far as whoever asks may see it. */
export interface ShownCause {
	readonly snapshot: RuleSnapshotEntity | undefined;
	/** As the wire has it; undefined once it has been removed. */
	readonly instance: WireRecord | undefined;
	/** The parts that are shown whole, and not by their names alone. */
	readonly visible: { readonly rule: boolean; readonly trigger: boolean; readonly trigger_type: boolean };
}

/** Members of an execution that a rule has started. */
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

/** Made once for each snapshot, as many executions show the same. */
const wireTriggers = new WeakMap<RuleSnapshotEntity, { readonly open: WireTrigger; readonly masked: WireTrigger }>();

/** The members that tell what started an execution; names and ids alone where no more is known, or may be seen. */
export function toEmbeddedCause(
	view: ExecutionView,
	cause: ShownCause | undefined,
	{ masked }: Pick<Presentation, "masked">,
): EmbeddedCause {
	const { snapshot, instance, visible } = cause ?? {};
	const secrets = masked ? view.secrets : Redactor.none;
	const hide = (record: WireRecord) => secrets.redactJson(record as JsonObject);
	if (snapshot === undefined) return { ...toNamedCause(view), ...(instance && { trigger_instance: toShownInstance(instance, secrets) }) };
	const wire = toWireTrigger(snapshot)[masked ? "masked" : "open"];
	// Where it cannot be told what is secret, hiding it would take names and ids as well.
	const isWhole = (part: "rule" | "trigger" | "trigger_type") => visible?.[part] === true && !secrets.isUnknown;
	return {
		rule: isWhole("rule") ? hide(toRule(view, snapshot, { wire, secrets, masked })) : toNames(snapshot.rule),
		trigger: wire.trigger && (isWhole("trigger") ? hide(wire.trigger) : toNames(wire.trigger)),
		trigger_type: wire.trigger_type && (isWhole("trigger_type") ? hide(wire.trigger_type) : toNames(wire.trigger_type)),
		trigger_instance: instance === undefined ? toRemovedInstance(view, snapshot) : toShownInstance(instance, secrets),
	};
}

/** With the secrets taken out that its action, as it was then, calls so. */
function toRule(
	{ snapshot: action }: ExecutionView,
	{ rule }: RuleSnapshotEntity,
	{ wire, secrets, masked }: { readonly wire: WireTrigger; readonly secrets: Redactor; readonly masked: boolean },
): WireRecord {
	const parameters = masked ? maskParametersWith(rule.action_parameters, action, secrets) : rule.action_parameters;
	return toRuleRecord({ ...rule, action_parameters: parameters }, wire.entity ?? undefined);
}

/** What an execution itself knows, as one does that an earlier version has stored. */
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

/** What the execution was given of it may be secret there, whatever the event is to others. */
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
		wire = { open: show(trigger), masked: show(trigger && maskTrigger(trigger, type)) };
		wireTriggers.set(snapshot, wire);
	}
	return wire;
}

/** Without its type it cannot be told what of it is secret. */
function maskTrigger(trigger: TriggerEntity, type: RuleSnapshotEntity["trigger_type"]): TriggerEntity {
	const { parameters } = trigger;
	const hidden = () => Object.fromEntries(Object.keys(parameters).map((name) => [name, secretMask]));
	return { ...trigger, parameters: type === null ? hidden() : maskMembers(parameters, type.parameters_schema) };
}
