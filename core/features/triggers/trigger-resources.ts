import type { TriggerInstanceEntity, TriggerTypeEntity } from "../../contract/index.ts";
import type { GuardedResource } from "../../http/permissions.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { splitRef } from "../../kernel/basics/refs.ts";
import { timerTypes, toHookUrl, triggerRefs } from "./trigger-refs-api.ts";
import type { TriggerInput } from "./triggers-api.ts";

export function toTriggerTypeResource({ pack, name }: Pick<TriggerTypeEntity, "pack" | "name">): Resource {
	return { uid: `trigger_type:${pack}:${name}`, pack };
}

/** Nobody knows the id of an event beforehand: it is guarded by its trigger type. */
export function toInstanceResource({ trigger_type }: Pick<TriggerInstanceEntity, "trigger_type">): Resource {
	return toTriggerTypeResource(splitRef(trigger_type));
}

/** The record, and what is asked for on it. */
type AskedResource = GuardedResource & Required<Pick<GuardedResource, "permission">>;

/**
 * What doing something to a trigger asks for. One that is a webhook, or a timer, is guarded as that: whoever makes it decides what is
 * taken in there and from whom, or makes work for ever. Changing such a one is making it.
 */
export function toTriggerResource(
	verb: "view" | "create" | "modify" | "delete",
	{ type, name = "", parameters, pack = splitRef(type).pack }: TriggerInput,
): AskedResource {
	const making = verb === "modify" ? "create" : verb;
	const url = type === triggerRefs.webhook ? parameters?.["url"] : undefined;
	if (making !== "view" && typeof url === "string") return { permission: `webhook_${making}`, uid: `webhook:${toHookUrl(url)}` };
	if (making !== "view" && timerTypes.includes(type)) return { permission: `timer_${making}`, uid: `timer:${pack}:${name}`, pack };
	return { permission: `trigger_${verb}`, uid: `trigger:${pack}:${name}`, pack };
}
