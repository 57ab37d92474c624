import { isJsonObject, type JsonObject } from "../../contract/index.ts";
import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import { splitRef } from "../../kernel/basics/refs.ts";
import { systemItemResource } from "../datastore/item-refs-api.ts";
import { timerTypes, toHookUrl, triggerRefs } from "./trigger-refs-api.ts";

/** A trigger as a rule refers to it, and the rule. */
export interface ListeningRule {
	readonly type: string;
	readonly parameters?: JsonObject | undefined;
	/** Of the rule. */
	readonly pack: string;
	readonly name: string;
}

/** Pack of the trigger types of the service itself. */
const corePack = "core";

/**
 * Permissions that listening to a trigger needs: a rule on a webhook or a timer makes one, and a rule on a trigger type of another pack
 * receives the payloads of its events. Whether an author may see what an event of the service itself tells of is asked when the event comes.
 *
 * @param isOfPack whether the rule lies in a file of a pack: it acts as the system user, who may see every event
 */
export function toListeningRights({ type, parameters = {}, pack, name }: ListeningRule, isOfPack = false): readonly RequiredPermission[] {
	if (type === triggerRefs.webhook) return [...toHookRights(parameters), ...toSecretRights(parameters)];
	// A timer that is made without a pack lies in the pack of its type.
	if (timerTypes.includes(type))
		return [{ permission: "timer_create", resources: [pack, corePack].map((one) => ({ uid: `timer:${one}:${name}`, pack: one })) }];
	const concerned = splitRef(type);
	if (concerned.pack === pack || (concerned.pack === corePack && !isOfPack)) return [];
	const resource = { uid: `trigger_type:${concerned.pack}:${concerned.name}`, pack: concerned.pack };
	return [{ permission: "trigger_instance_view", resources: [resource] }];
}

/** Permissions that making a trigger needs in addition to the one on its own record. */
export function toMakingRights({ type, parameters = {}, pack, name }: ListeningRule): readonly RequiredPermission[] {
	const concerned = splitRef(type).pack;
	const making = (other: string): RequiredPermission => ({
		permission: "trigger_create",
		resources: [{ uid: `trigger:${other}:${name}`, pack: other }],
	});
	// The permission on a webhook is about its URL, and not about the pack that the trigger lies in.
	if (type === triggerRefs.webhook) return [...(pack === corePack ? [] : [making(pack)]), ...toSecretRights(parameters)];
	return concerned === pack || concerned === corePack ? [] : [making(concerned)];
}

function toHookRights({ url }: JsonObject): readonly RequiredPermission[] {
	if (typeof url !== "string") return [];
	return [{ permission: "webhook_create", resources: [{ uid: `webhook:${toHookUrl(url)}` }] }];
}

/** The answers to deliveries tell whether a guess of the secret is right. */
function toSecretRights({ signature }: JsonObject): readonly RequiredPermission[] {
	const names = isJsonObject(signature) ? [signature["secret_keys"]].flat() : [];
	return names.map((name) => ({
		permission: "key_value_pair_view",
		resources: [systemItemResource(String(name))],
		isSecretUsed: true,
	}));
}
