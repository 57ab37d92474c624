import { isJsonObject, type JsonObject, type JsonValue, type TriggerInstanceEntity } from "../contract/index.ts";
import type { PermissionType, Principal, Resource } from "../engine/engine-api.ts";
import { triggerRefs } from "../engine/triggers/built-in-types.ts";
import { toActionResource } from "./permissions.ts";
import { toTriggerInstance } from "./reaction-records.ts";
import type { WireRecord } from "./records.ts";
import type { HttpContext } from "./route.ts";
import { toInstanceResource } from "./trigger-resources.ts";

type Asking = Pick<HttpContext, "engine"> & { readonly principal: Principal };

/** A permission, and what it is asked for. */
type Need = readonly [permission: PermissionType, resource: Resource];

const completions: ReadonlySet<string> = new Set([triggerRefs.action, triggerRefs.notify]);
const itemEvents: ReadonlySet<string> = new Set([
	triggerRefs.keyCreate,
	triggerRefs.keyUpdate,
	triggerRefs.keyValueChange,
	triggerRefs.keyDelete,
]);

/**
 * Events as their reader may see them. A payload is a webhook's body, a result or a value of the datastore: it is left out for those
 * who may only list or re-emit events, and for those who may not see what it tells of.
 */
export async function toShownInstances(
	context: Asking & Pick<HttpContext, "options">,
	instances: readonly TriggerInstanceEntity[],
): Promise<readonly WireRecord[]> {
	const { engine, options, principal } = context;
	const shown = options.api.mask_secrets ? await engine.triggers.instances.maskPayloads(instances) : instances;
	return shown.map((instance) => {
		const record = toTriggerInstance(instance);
		if (principal.isAdmin || toNeeds(instance).every((need) => engine.access.allows(principal, ...need))) return record;
		const { payload: _payload, ...rest } = record;
		return rest;
	});
}

/** Where the payload of a stored event is worked with, as in the test of a rule. Throws `SVC_FORBIDDEN`. */
export async function assertMayViewPayload({ engine, principal }: Asking, id: string): Promise<void> {
	if (principal.isAdmin) return;
	for (const need of toNeeds(await engine.triggers.instances.get(id))) engine.access.assert(principal, ...need);
}

/** Everything that seeing a payload takes: the right to see such events, and that to see what this one tells of. */
function toNeeds(instance: TriggerInstanceEntity): readonly Need[] {
	const { trigger_type: type } = instance;
	const payload: JsonObject = instance.payload ?? {};
	const own: Need = ["trigger_instance_view", toInstanceResource(instance)];
	if (completions.has(type)) return [own, ["execution_view", toActionResource(toText(payload["action_ref"]))]];
	if (!itemEvents.has(type)) return [own];
	const items = [payload["object"], payload["old_object"], payload["new_object"]].filter((item) => item !== undefined);
	return [own, ...items.map((item): Need => ["key_value_pair_view", toResourceOf(item)])];
}

/** Its own account of whose it is: events of the service's types come from the service, and from those who may send any. */
function toResourceOf(item: JsonValue): Resource {
	const { uid, user } = isJsonObject(item) ? item : {};
	return { uid: toText(uid), ...(typeof user === "string" && { owner: user }) };
}

/** Of what is no text, an empty one: nobody has a grant on it. */
function toText(value: JsonValue | undefined): string {
	return typeof value === "string" ? value : "";
}
