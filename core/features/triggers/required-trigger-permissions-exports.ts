import { isJsonObject, type JsonObject } from "../../contract/index.ts";
import type { RequiredPermission } from "../../kernel/basics/permission-types.ts";
import { splitRef } from "../../kernel/basics/refs.ts";
import { systemItemResource } from "../datastore/item-trigger-types-exports.ts";
import { timerTypes, toHookUrl, triggerRefs } from "./trigger-type-refs-exports.ts";

/** The trigger that a rule refers to, and the rule's own pack and name. */
export interface ListeningRule {
	readonly type: string;
	readonly parameters?: JsonObject | undefined;
	/** Pack of the rule. */
	readonly pack: string;
	readonly name: string;
}

/** Pack of the service's own trigger types. */
const corePack = "core";

/**
 * Returns the permissions that a rule needs to receive the events of a trigger.
 * A rule on a webhook or a timer type creates the webhook or the timer. A rule on a trigger type of another pack receives the payloads of
 * its events.
 * For the service's own events, the author's permission to view the described records is checked for each event.
 *
 * @param isOfPack true if a file of a pack defines the rule; the rule then acts as the system user, who may view every event
 */
export function toListeningRights({ type, parameters = {}, pack, name }: ListeningRule, isOfPack = false): readonly RequiredPermission[] {
	if (type === triggerRefs.webhook) return [...toHookRights(parameters), ...toSecretRights(parameters)];
	// A timer that is created without a pack belongs to the pack of its type.
	if (timerTypes.includes(type))
		return [{ permission: "timer_create", resources: [pack, corePack].map((one) => ({ uid: `timer:${one}:${name}`, pack: one })) }];
	const concerned = splitRef(type);
	if (concerned.pack === pack || (concerned.pack === corePack && !isOfPack)) return [];
	const resource = { uid: `trigger_type:${concerned.pack}:${concerned.name}`, pack: concerned.pack };
	return [{ permission: "trigger_instance_view", resources: [resource] }];
}

/** Returns the permissions that creating a trigger requires in addition to the permission to create its record. */
export function toCreationPermissions({ type, parameters = {}, pack, name }: ListeningRule): readonly RequiredPermission[] {
	const concerned = splitRef(type).pack;
	const making = (other: string): RequiredPermission => ({
		permission: "trigger_create",
		resources: [{ uid: `trigger:${other}:${name}`, pack: other }],
	});
	// The permission on a webhook covers its URL, but not the pack that contains the trigger.
	if (type === triggerRefs.webhook) return [...(pack === corePack ? [] : [making(pack)]), ...toSecretRights(parameters)];
	return concerned === pack || concerned === corePack ? [] : [making(concerned)];
}

function toHookRights({ url }: JsonObject): readonly RequiredPermission[] {
	if (typeof url !== "string") return [];
	return [{ permission: "webhook_create", resources: [{ uid: `webhook:${toHookUrl(url)}` }] }];
}

/**
 * Requires the permission to view the secrets that sign deliveries, because the responses to deliveries reveal whether a guessed secret is
 * right.
 */
function toSecretRights({ signature }: JsonObject): readonly RequiredPermission[] {
	const names = isJsonObject(signature) ? [signature["secret_keys"]].flat() : [];
	return names.map((name) => ({
		permission: "key_value_pair_view",
		resources: [systemItemResource(String(name))],
		isSecretUsed: true,
	}));
}
