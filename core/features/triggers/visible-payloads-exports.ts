import type { TriggerInstanceEntity } from "../../contract/index.ts";
import type { RecordVisibility } from "../../http/record-visibility.ts";
import type { HttpContext } from "../../http/route.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { type RequiredPermission, toRequiredPermissions } from "./payload-permissions-exports.ts";
import { toTriggerInstance } from "./trigger-records-exports.ts";
import { toInstanceResource } from "./trigger-resources.ts";

type Asking = Pick<HttpContext<TriggersFeatureApi>, "engine" | "guard"> & { readonly principal: Principal };

/**
 * Returns events for a response to the caller. A payload may contain a webhook's body, an execution's result or a value of the datastore.
 * The payload is left out for callers who may only list or re-emit events, and for callers who may not view the records that it describes.
 */
export async function withVisiblePayloads(
	{ engine, guard, principal }: Asking,
	instances: readonly TriggerInstanceEntity[],
	{ masked }: Pick<RecordVisibility, "masked">,
): Promise<readonly WireRecord[]> {
	const shown = masked ? await engine.triggers.instances.maskPayloads(instances) : instances;
	return shown.map((instance) => {
		const record = toTriggerInstance(instance);
		if (principal.isAdmin || toAllNeeds(instance).every((need) => guard.allows(principal, ...need))) return record;
		const { payload: _payload, ...rest } = record;
		return rest;
	});
}

/**
 * Throws `SVC_FORBIDDEN` unless the caller may view the payload of the stored event.
 * Used by operations that disclose a payload indirectly, such as testing a rule.
 */
export async function assertMayViewPayload({ engine, guard, principal }: Asking, id: string): Promise<void> {
	if (principal.isAdmin) return;
	for (const need of toAllNeeds(await engine.triggers.instances.get(id))) guard.assert(principal, ...need);
}

/**
 * Returns all permissions needed to view a payload: one for events of the trigger type, and one for each record that the payload describes.
 */
function toAllNeeds(instance: TriggerInstanceEntity): readonly RequiredPermission[] {
	return [["trigger_instance_view", toInstanceResource(instance)], ...toRequiredPermissions(instance)];
}
