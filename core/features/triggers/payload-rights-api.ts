import type { TriggerInstanceEntity } from "../../contract/index.ts";
import type { HttpContext } from "../../http/route.ts";
import type { Presentation } from "../../http/secret-presentation.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { toTriggerInstance } from "./records-api.ts";
import type { RouteNeeds } from "./route-needs.ts";
import { type Need, toNeeds } from "./told-records-api.ts";
import { toInstanceResource } from "./trigger-resources.ts";

type Asking = Pick<HttpContext<RouteNeeds>, "engine" | "guard"> & { readonly principal: Principal };

/**
 * Events as their reader may see them. A payload is a webhook's body, a result or a value of the datastore: it is left out for those
 * who may only list or re-emit events, and for those who may not see what it tells of.
 */
export async function toShownInstances(
	{ engine, guard, principal }: Asking,
	instances: readonly TriggerInstanceEntity[],
	{ masked }: Pick<Presentation, "masked">,
): Promise<readonly WireRecord[]> {
	const shown = masked ? await engine.triggers.instances.maskPayloads(instances) : instances;
	return shown.map((instance) => {
		const record = toTriggerInstance(instance);
		if (principal.isAdmin || toAllNeeds(instance).every((need) => guard.allows(principal, ...need))) return record;
		const { payload: _payload, ...rest } = record;
		return rest;
	});
}

/** Where the payload of a stored event is worked with, as in the test of a rule. Throws `SVC_FORBIDDEN`. */
export async function assertMayViewPayload({ engine, guard, principal }: Asking, id: string): Promise<void> {
	if (principal.isAdmin) return;
	for (const need of toAllNeeds(await engine.triggers.instances.get(id))) guard.assert(principal, ...need);
}

/** Everything that seeing a payload takes: the right to see such events, and that to see what this one tells of. */
function toAllNeeds(instance: TriggerInstanceEntity): readonly Need[] {
	return [["trigger_instance_view", toInstanceResource(instance)], ...toNeeds(instance)];
}
