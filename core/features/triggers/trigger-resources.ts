import type { TriggerInstanceEntity, TriggerTypeEntity } from "../../contract/index.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import { type Resource, splitRef } from "../../kernel/basics/refs.ts";
import { timerTypes, toHookUrl, triggerRefs } from "./trigger-type-refs-exports.ts";
import type { TriggerInput } from "./triggers-exports.ts";

export function toTriggerTypeResource({ pack, name }: Pick<TriggerTypeEntity, "pack" | "name">): Resource {
	return { uid: `trigger_type:${pack}:${name}`, pack };
}

export function toTimerResource({ pack, name }: { readonly pack: string; readonly name: string }): Resource {
	return { uid: `timer:${pack}:${name}`, pack };
}

export function toWebhookResource(url: string): Resource {
	return { uid: `webhook:${toHookUrl(url)}` };
}

/** Returns the resource of an event for permission checks: its trigger type, because the id of an event is not known in advance. */
export function toInstanceResource({ trigger_type }: Pick<TriggerInstanceEntity, "trigger_type">): Resource {
	return toTriggerTypeResource(splitRef(trigger_type));
}

/** A resource together with the permission required on it. */
type AskedResource = GuardedResource & Required<Pick<GuardedResource, "permission">>;

/**
 * Returns the permission that an operation on a trigger requires. A webhook or a timer requires the permission of its own kind instead,
 * because the creator of a webhook decides which senders are accepted, and a timer creates executions indefinitely.
 * Modifying a webhook or a timer requires the permission to create one.
 */
export function toTriggerResource(
	verb: "view" | "create" | "modify" | "delete",
	{ type, name = "", parameters, pack = splitRef(type).pack }: TriggerInput,
): AskedResource {
	const making = verb === "modify" ? "create" : verb;
	const url = type === triggerRefs.webhook ? parameters?.["url"] : undefined;
	if (making !== "view" && typeof url === "string") return { permission: `webhook_${making}`, ...toWebhookResource(url) };
	if (making !== "view" && timerTypes.includes(type)) return { permission: `timer_${making}`, ...toTimerResource({ pack, name }) };
	return { permission: `trigger_${verb}`, uid: `trigger:${pack}:${name}`, pack };
}
